import { Elysia } from 'elysia'
import { audienceOfOne, NO_DEVICE } from '../audience/named-devices.ts'
import { EXAMPLE_TOKEN } from '../device/device-fields.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { described } from '../http/endpoint.ts'
import { invalid } from '../http/fields.ts'
import type { Body, Given } from '../http/fields.ts'
import type { Gate } from '../http/gate.ts'
import type { PushRequest } from './accept.ts'
import { digestOf, IDEMPOTENCY_KEY, keyOf } from './idempotency-schema.ts'
import type { Pushing } from './pushing.ts'
import { createPushToAll } from './push-to-all.ts'
import { ACCEPTED, PUSH_EXAMPLES, pushBodies } from './push-schema.ts'

interface Dependencies {
  readonly gate: Gate
  readonly devices: Pick<DeviceStore, 'idsOf'>
  readonly pushing: Pick<Pushing, 'accept' | 'prepared' | 'reach'>
  /** Also read what clients of the original service send. */
  readonly compat?: boolean
}

const QUEUED = {
  200: {
    description:
      'Stored durably, and about to be sent. If it is to be sent later: "Scheduled" with `send_at`, and for local time `passed`, the device time zones in which that time has passed.',
    schema: ACCEPTED,
  },
}

const CONFLICTS =
  'MissingParameter; or ConflictError: the Idempotency-Key was used for another push, or the push addresses more devices than allowed without `confirm`.'

const REUSED = 'Idempotency-Key order-17 was used for another push: with another path or body.'
const CONFIRM = 'The push addresses 12345 devices, more than confirm-above 10000: repeat it with "confirm": 12345.'

export function pushRoutes({ gate, devices, pushing, compat = false }: Dependencies) {
  const { toAll, toOne } = pushBodies({ compat })
  const push = createPushToAll({ devices, pushing })

  return new Elysia({ name: 'push-routes' })
    .use(gate.plugin)
    .post(
      '/push/all',
      ({ body, application, request: { headers, signal } }) =>
        push(application, body, { repeat: repeatOf(headers, '/push/all', toAll, body), caller: signal }),
      described({
        tag: 'Pushes',
        summary: 'Push to all or to matching devices',
        description:
          'Without a filter field (tags … except_alias) a broadcast: `platform`, `msg`, `sound` and `badge` are required. With one, only something to send is; with `silent`, none of `msg`, `sound` and `badge` is. Filters narrow together; an empty audience is 200, and over at once.',
        secret: true,
        body: toAll,
        examples: PUSH_EXAMPLES,
        parameters: [IDEMPOTENCY_KEY],
        answers: QUEUED,
        failures: { 409: CONFLICTS },
        sentences: { ConflictError: CONFIRM },
      }),
    )
    .post(
      '/push/one',
      ({ body, application, request: { headers } }) => {
        const notification = pushing.prepared(application, body.notification, [body.platform])
        const { when } = body
        const find = () => audienceOfOne(devices, application.number, body) ?? NO_DEVICE
        const repeat = repeatOf(headers, '/push/one', toOne, body)
        return pushing.accept(application, { notification, when, to: { kind: 'one', find }, repeat })
      },
      described({
        tag: 'Pushes',
        summary: 'Push to one device',
        description: 'With `silent`, `msg`, `sound` and `badge` may be left out.',
        secret: true,
        body: toOne,
        example: { platform: '0', token: EXAMPLE_TOKEN, msg: 'Hello', sound: 'default', badge: '1' },
        parameters: [IDEMPOTENCY_KEY],
        answers: QUEUED,
        failures: { 404: 'ResourceNotFound: no such device is registered.', 409: CONFLICTS },
        sentences: { ConflictError: REUSED },
      }),
    )
}

function repeatOf(
  headers: Headers,
  path: string,
  { schema }: Body<unknown>,
  { given, replace }: { readonly given: Given; readonly replace: boolean },
): PushRequest['repeat'] {
  const key = keyOf(headers)
  if (key === null) {
    if (replace) throw invalid('replace', 'needs the header Idempotency-Key')
    return null
  }
  const fields = Object.keys(schema['properties'] ?? {}).filter((name) => name !== 'replace')
  return { key, digest: digestOf(`POST ${path}`, given, fields), replace }
}
