import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import { HEADER_PARAMETERS, readDeviceHeaders } from '../../device/device-schema.ts'
import type { Platform } from '../../device/device.ts'
import { apnsIdOf } from '../../gateway/apns/protocol.ts'
import { listOf, NEXT_PAGE, nextPage } from '../../http/answer-schema.ts'
import { endpoint } from '../../http/endpoint.ts'
import type { Gate } from '../../http/gate.ts'
import { jsonArray } from '../../http/json-stream.ts'
import type { ExplainStore } from '../explain/explain-store.ts'
import { explain } from '../explain/explain.ts'
import { EXPLANATION } from '../explain/explanation-schema.ts'
import { explanationOf, failureOf, pushStatusOf } from './status-answer.ts'
import * as schema from './status-schema.ts'
import type { StatusStore } from './status-store.ts'
import type { StoredPush } from './status.ts'
import { wholeStatus } from './whole-status.ts'

interface Dependencies {
  readonly gate: Gate
  readonly clock: Clock
  readonly statuses: StatusStore
  readonly explanations: ExplainStore
  /** `null`: it can be sent to. */
  readonly pauseOf: (application: number, platform: Platform) => string | null
}

const NO_PUSH = { 404: 'ResourceNotFound: there is no such push.' }

export function statusRoutes({ gate, clock, statuses, explanations, pauseOf }: Dependencies) {
  function found(application: number, id: string): StoredPush {
    const push = statuses.find(application, id.toLowerCase())
    if (push === null) throw schema.noPush()
    return push
  }

  async function whole(application: number, id: string) {
    const pause = (platform: Platform) => pauseOf(application, platform)
    const status = await wholeStatus({ statuses, clock, pauseOf: pause }, application, id.toLowerCase())
    if (status === null) throw schema.noPush()
    return status
  }

  function* failedDevices(push: number): Generator<string> {
    for (const failed of statuses.failures(push)) yield JSON.stringify(failureOf(failed))
  }

  return new Elysia({ name: 'status-routes' })
    .use(gate.plugin)
    .get('/push/:id', ({ application: { number }, params: { id } }) => whole(number, id), {
      detail: endpoint({
        tag: 'Pushes',
        summary: 'Status of a push',
        description:
          '`state`: scheduled, sending, paused (everything left is waiting; `reason` says for what), finished or cancelled. `t` devices addressed so far; `s` accepted by APNs, FCM or a push service; `o` opens and `received` arrivals reported by apps, with rates as fractions of `s`; `actions` by name. `waiting` devices have no outcome yet; `retrying` of them were tried before. `t` is always `s` + `failed` + `waiting`. `failed.reasons` are the gateways’ own; `expired` and `cancelled` count devices not reached in time, `DeviceRemoved` those unregistered before. With `languages`, each language has its own counts (`language` null: the push’s own text), and `language_unknown` the rest. `rate`: accepted a second. Times are ISO 8601 or null.',
        secret: true,
        parameters: [schema.ID_PARAMETER],
        answers: { 200: { description: 'How far it is.', schema: schema.STATUS } },
        failures: NO_PUSH,
        sentences: schema.NO_PUSH_FOUND,
      }),
    })
    .get(
      '/pushes',
      ({ application: { number }, query, set }) => {
        const before = schema.readPushCursor(query['after'])
        const limit = schema.readPushLimit(query['limit'])
        const page = statuses.list(number, before, limit + 1)
        const shown = page.slice(0, limit)
        const last = shown.at(-1)
        if (page.length > limit && last !== undefined) set.headers['link'] = nextPage(limit, last.number)
        const pause = (platform: Platform) => pauseOf(number, platform)
        return shown.map((push) => pushStatusOf(statuses.factsOf(push), pause, clock.now()))
      },
      {
        detail: endpoint({
          tag: 'Pushes',
          summary: 'List pushes',
          description:
            'Newest first, for 90 days. The Link header leads to the next page. Each as in `/push/{id}`, without reasons, rates, actions and platforms.',
          secret: true,
          parameters: schema.PAGE_PARAMETERS,
          answers: {
            200: {
              description: 'A JSON array.',
              schema: listOf(schema.LISTED),
              headers: { Link: NEXT_PAGE },
            },
          },
        }),
      },
    )
    .get(
      '/push/:id/failures',
      ({ application: { number }, params: { id } }) => jsonArray(failedDevices(found(number, id).number)),
      {
        detail: endpoint({
          tag: 'Pushes',
          summary: 'Devices that a push failed for',
          description:
            'One streamed JSON array. `state`: rejected, gone, expired or cancelled; `reason` is the gateway’s own. `token` is null if the device was deleted since. Devices that were never sent to, because they were removed, or the push expired or was cancelled, before, are not listed.',
          secret: true,
          parameters: [schema.ID_PARAMETER],
          answers: {
            200: { description: 'A JSON array.', schema: listOf(schema.FAILED) },
          },
          failures: NO_PUSH,
          sentences: schema.NO_PUSH_FOUND,
        }),
      },
    )
    .get(
      '/push/:id/device',
      ({ application: { number }, params, headers }) => {
        const { token, platform } = readDeviceHeaders(headers)
        const id = params.id.toLowerCase()
        const explanation = explanations.find(number, id, token, platform)
        if (explanation === null) throw schema.noPush()
        const pause = explanation.platform === null ? null : pauseOf(number, explanation.platform)
        return explanationOf(explain({ ...explanation.facts, pause }), explanation, (device) => apnsIdOf(id, device))
      },
      {
        detail: endpoint({
          tag: 'Pushes',
          summary: 'Why a device got a push, or did not',
          description:
            '`verdict`: opened, received, accepted, waiting, retrying, rejected, expired, cancelled, scheduled, excluded (`excluded_by` names the fields), registered_later, not_registered, gone or quarantined; `explanation` says it in words. The device is named by headers; `receipts` is what its app has reported. Where several platforms hold the token, the one seen last. Accepted devices are not recorded: `judged_now` means that the device’s current state was used.',
          secret: true,
          parameters: [schema.ID_PARAMETER, ...HEADER_PARAMETERS],
          answers: {
            200: { description: 'The verdict.', schema: EXPLANATION },
          },
          failures: { ...NO_PUSH, 409: 'MissingParameter' },
          sentences: { ...schema.NO_PUSH_FOUND, MissingParameter: 'token header is required.' },
        }),
      },
    )
}
