import { count, yesOrNo, listOf, objectSchema, oneOf, orNull, shapeOf, text, time } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const SessionAnswer = objectSchema('SessionAnswer', {
  administrator: orNull({ ...shapeOf({ name: text() }), description: '`null`: not signed in, or by a token.' }),
  token: orNull(shapeOf({ name: text(), purpose: text(), expiresAt: orNull(time()) })),
  step: orNull(text('A started sign-in: send it with a code to `POST /api/session/code`. `null`: no code is needed.')),
  isSetUp: yesOrNo('Whether there is any administrator.'),
  service: orNull({
    ...shapeOf({ version: text(), url: text() }),
    description: "Its version, and the public API's address. `null`: not signed in.",
  }),
})
export type SessionAnswer = AnswerOf<typeof SessionAnswer>

export const LinkAnswer = objectSchema('LinkAnswer', {
  kind: oneOf(['setup', 'sign-in']),
  name: orNull(text('Whose; `null` of `setup`.')),
  expiresAt: time(),
})
export type LinkAnswer = AnswerOf<typeof LinkAnswer>

export const SecondFactorAnswer = objectSchema('SecondFactorAnswer', { isOn: yesOrNo(), recoveryCodesLeft: count() })
export type SecondFactorAnswer = AnswerOf<typeof SecondFactorAnswer>

export const SecondFactorBegunAnswer = objectSchema('SecondFactorBegunAnswer', {
  secret: text('To type into an authenticator app.'),
  uri: text('The same as an address, for an app on this machine.'),
  qr: {
    ...shapeOf({ path: text(), size: count() }),
    description: 'The address as a QR code: the `d` of an SVG path, in a square that is `size` wide.',
  },
})
export type SecondFactorBegunAnswer = AnswerOf<typeof SecondFactorBegunAnswer>

export const RecoveryCodesAnswer = objectSchema('RecoveryCodesAnswer', {
  recoveryCodes: listOf(text(), 'Each works once, instead of a code of the app.'),
})
export type RecoveryCodesAnswer = AnswerOf<typeof RecoveryCodesAnswer>
