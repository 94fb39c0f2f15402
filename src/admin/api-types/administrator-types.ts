import {
  anything,
  count,
  yesOrNo,
  listOf,
  mapOf,
  objectSchema,
  oneOf,
  orNull,
  shapeOf,
  text,
  time,
} from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const AdministratorsAnswer = objectSchema('AdministratorsAnswer', {
  administrators: listOf(
    shapeOf({
      name: text(),
      createdAt: time(),
      seenAt: orNull(time('`null`: no session.')),
      hasSecondFactor: yesOrNo('Whether they sign in with a code of an authenticator app too.'),
    }),
  ),
})
export type AdministratorsAnswer = AnswerOf<typeof AdministratorsAnswer>

/** `link` follows the `#` of `/setup`. */
export const NewLinkAnswer = objectSchema('NewLinkAnswer', { link: text(), expiresAt: time() })
export type NewLinkAnswer = AnswerOf<typeof NewLinkAnswer>

export const DoneAnswer = objectSchema('DoneAnswer', { message: text() })

export const TokensAnswer = objectSchema('TokensAnswer', {
  tokens: listOf(
    shapeOf({
      name: text(),
      purpose: text('`read`, `send`, `operate` or `administer`.'),
      createdAt: time(),
      usedAt: orNull(time()),
      expiresAt: orNull(time('When it expires; `null`: never.')),
      madeBy: orNull(text('`administrator ann`, `token ci`, `command root`; `null`: unknown.')),
    }),
  ),
})
export type TokensAnswer = AnswerOf<typeof TokensAnswer>

export const NewTokenAnswer = objectSchema('NewTokenAnswer', {
  name: text(),
  token: text(),
  purpose: text(),
  expiresAt: orNull(time()),
})
export type NewTokenAnswer = AnswerOf<typeof NewTokenAnswer>

/** Newest first. */
export const AdminLogAnswer = objectSchema('AdminLogAnswer', {
  entries: listOf(
    shapeOf({
      number: count(),
      at: time(),
      who: text('`administrator ann`, `token ci`, `command root`, `application Shop`, `nobody`.'),
      origin: text("Network address, or terminal; `''`: not known."),
      command: text("Command line, without secrets, texts and users. `''`: none."),
      action: text(),
      subject: text("The target, such as an application's ID. `''`: none."),
      detail: mapOf(anything()),
      changes: mapOf(
        shapeOf({ before: anything(), after: anything() }),
        'Settings by name, before and after. `null`: none.',
      ),
      result: oneOf(['started', 'ok', 'refused', 'failed'], '`started`: the outcome is unknown.'),
      code: text("Why it is not `ok`: the code of a failure, or `exit 1`; else `''`."),
    }),
  ),
  next: orNull(count('`before` for the next page. `null`: no more.')),
})
export type AdminLogAnswer = AnswerOf<typeof AdminLogAnswer>
