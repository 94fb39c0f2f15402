import { Elysia } from 'elysia'
import { platforms } from '../../audience/filter-fields.ts'
import { unknownField } from '../../audience/unknown-fields.ts'
import { described, endpoint } from '../../http/endpoint.ts'
import { bodyOf, closed, describedAs, missing, optional } from '../../http/fields.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { Audited, Gate } from '../../http/gate.ts'
import { msg, title } from '../../notification/options/text.ts'
import type { Platform } from '../../platform.ts'
import type { Pushing } from '../pushing.ts'
import { digestOf, IDEMPOTENCY_KEY, keyOf } from '../idempotency-schema.ts'
import { ID_PARAMETER, NO_PUSH_FOUND, REPLACEMENT, WITHDRAWAL } from '../status/status-schema.ts'
import { NOTHING_SHOWN } from './take-back.ts'
import type { SendingEnd } from './take-back.ts'

interface Dependencies {
  readonly gate: Gate
  readonly audited: Audited
  readonly commit: Commit
  readonly takeBack: Pick<Pushing['takeBack'], 'withdraw' | 'replace'>
  readonly deliveries: SendingEnd
}

const fields = {
  msg: optional(
    describedAs(
      'The new message. With all that is sent beside it at most 4096 bytes, as rendered for each gateway.',
      msg.field,
    ),
  ),
  title: optional(describedAs('The new title; absent: none. It counts towards the same 4096 bytes.', title.field)),
  platform: optional(describedAs('Only on these. Default: wherever it was sent.', platforms)),
}

const Replacement = closed(
  bodyOf(fields, (input, given) => {
    const { msg: message = null, title: line = null } = input
    if (message === null && line === null) throw missing('msg')
    return {
      text: { msg: message, title: line },
      on: input.platform === undefined ? {} : { platforms: input.platform },
      given,
    }
  }),
  (name) => unknownField(name, Object.keys(fields)),
)

const FAILURES = {
  404: 'ResourceNotFound: there is no such push.',
  409: 'ConflictError: the push has not been sent yet, shows nothing, or has reached no device of these platforms.',
}
const SENTENCES = { ...NO_PUSH_FOUND, ConflictError: NOTHING_SHOWN.message }

/** `0`, `0,1` or absent. */
function platformsIn(query: Readonly<Record<string, string | undefined>>): {
  readonly platforms?: readonly Platform[]
} {
  const { platform = '' } = query
  return platform === '' ? {} : { platforms: platforms.read(platform.split(','), 'platform') }
}

export function shownRoutes({ gate, audited, commit, takeBack, deliveries: sending }: Dependencies) {
  return new Elysia({ name: 'shown-routes' })
    .use(gate.plugin)
    .delete(
      '/push/:id/shown',
      ({ params, query, application, request }) => {
        const push = params.id.toLowerCase()
        const wanted = { ...platformsIn(query), sending, commit }
        return audited({ application, request, action: 'withdraw', detail: { push } }, async () => {
          return { message: 'Withdrawn', ...(await takeBack.withdraw(application, push, wanted)) }
        })
      },
      {
        detail: endpoint({
          tag: 'Pushes',
          summary: 'Withdraw a push',
          description:
            'Removes its notification from phones that show it, by a silent push to those that it was sent to and that its audience still has. The app must have a client library of Bellhop, or do it itself. A push that is still being sent is cancelled. To withdraw again changes nothing: the answer has the same `id`.',
          secret: true,
          parameters: [
            ID_PARAMETER,
            {
              name: 'platform',
              in: 'query',
              description:
                'Only on these, with commas: `0,1`. Default `0,1`. Browsers have a price for each push that shows nothing.',
              schema: { type: 'string', pattern: '^[0-2](,[0-2])*$' },
              example: '0,1',
            },
          ],
          answers: { 200: { description: 'Withdrawn durably.', schema: WITHDRAWAL } },
          failures: FAILURES,
          sentences: SENTENCES,
        }),
      },
    )
    .put(
      '/push/:id/shown',
      ({ params, body, application, request }) => {
        const push = params.id.toLowerCase()
        return audited({ application, request, action: 'replace', detail: { push } }, async () => {
          const key = keyOf(request.headers)
          const digest = () => digestOf(`PUT /push/${push}/shown`, body.given, Object.keys(fields))
          const repeat = key === null ? null : { key, digest: digest() }
          return await takeBack.replace(application, push, body.text, { ...body.on, sending, commit, repeat })
        })
      },
      described({
        tag: 'Pushes',
        summary: 'Replace what a push shows',
        description:
          'Sends the same push with another text and without a sound, in place of what is shown, to those that it was sent to and that its audience still has. Whoever had dismissed it sees it again. A push that is still being sent is cancelled, and the devices that it has not reached get the new text instead. 409 while it waits in some time zones, or is sent to platforms that are not named.',
        secret: true,
        body: Replacement,
        example: { title: 'Corner Shop', msg: 'Closed today: we open again on Monday.' },
        parameters: [ID_PARAMETER, IDEMPOTENCY_KEY],
        answers: { 200: { description: 'Stored durably, and about to be sent.', schema: REPLACEMENT } },
        failures: {
          ...FAILURES,
          409: `MissingParameter; or ${FAILURES[409]} Or the Idempotency-Key was used for another push.`,
        },
        sentences: SENTENCES,
      }),
    )
}
