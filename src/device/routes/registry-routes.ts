import { Elysia } from 'elysia'
import { listOf, NEXT_PAGE, nextPage } from '../../http/answer-schema.ts'
import { endpoint } from '../../http/endpoint.ts'
import type { Gate } from '../../http/gate.ts'
import { jsonArray } from '../../http/json-stream.ts'
import { isoTime } from '../../text/format.ts'
import { deviceRecordOf, platformOnWire, RECORD } from '../device-record.ts'
import type { RecordShape } from '../device-record.ts'
import * as schema from '../device-schema.ts'
import type { DeviceStore } from '../device-store.ts'
import type { Device } from '../device.ts'
import type { FeedbackStore } from '../feedback-store.ts'
import { NO_DEVICE_FOUND, noDevice } from './device-routes.ts'
import { ID_ALONE } from './id-alone.ts'

interface Dependencies {
  readonly gate: Gate
  readonly devices: Pick<DeviceStore, 'list' | 'endOfPage' | 'find'>
  readonly feedback: Pick<FeedbackStore, 'list'>
  /** Default: unchanged. */
  readonly shape?: RecordShape
}

/** Devices in memory. */
const PAGE = 500

const AS_IT_IS: RecordShape = { written: (record) => record, schema: RECORD }

/** Endpoints 8, 9 and 10. */
export function registryRoutes({ gate, devices, feedback, shape = AS_IT_IS }: Dependencies) {
  const written = (device: Device) => shape.written(deviceRecordOf(device))

  return new Elysia({ name: 'registry-routes' })
    .use(gate.plugin)
    .get(
      '/deviceToken/all',
      ({ application, query, set }) => {
        const after = schema.readDeviceCursor(query['after'])
        const limit = schema.readDeviceLimit(query['limit'])
        const user = schema.readUser(query['user'])
        const end = limit === null ? null : devices.endOfPage(application.number, limit, { after, user })
        if (limit !== null && end !== null) {
          set.headers['link'] = nextPage(limit, end, user)
        }
        return jsonArray(records(application.number, { after, through: end ?? Number.MAX_SAFE_INTEGER, user }))
      },
      {
        detail: endpoint({
          tag: 'Devices',
          summary: 'List devices',
          description:
            'All registered devices, or with `user` those of one user, in order of registration, as one streamed JSON array. With `limit`, the first of them; the Link header leads to the next.',
          secret: true,
          parameters: [
            query('limit', 'Devices in a page, 1 to 10000.', 1000, { type: 'integer', minimum: 1, maximum: 10_000 }),
            query('after', 'The cursor of the Link header.', '1200', { type: 'string' }),
            query('user', 'Those of this user.', 'ann', { type: 'string', minLength: 1, maxLength: 256 }),
          ],
          answers: {
            200: {
              description: 'A JSON array of device records.',
              schema: listOf(shape.schema),
              headers: { Link: NEXT_PAGE },
            },
          },
        }),
      },
    )
    .get(
      '/feedback',
      ({ application, query }) => jsonArray(entries(application.number, schema.readSince(query['since']))),
      {
        detail: endpoint({
          tag: 'Devices',
          summary: 'List uninstalled tokens',
          description:
            'Tokens that Apple, Google or a push service reported as unregistered, newest first, for 90 days. This is what the gateways say, not proof of an uninstall: Apple delays it on purpose, and may answer as if nothing happened for a long time. A device that has registered again since stays listed: compare `at`.',
          secret: true,
          parameters: [
            query('since', 'ISO 8601 time, or milliseconds since 1970.', '2026-11-20T12:00:00Z', { type: 'string' }),
          ],
          answers: {
            200: {
              description: 'A JSON array.',
              schema: listOf(schema.FEEDBACK_ENTRY),
            },
          },
        }),
      },
    )
    .get(
      '/deviceToken/one',
      ({ application, headers }) => {
        const { token, platform } = schema.readDeviceHeaders(headers)
        const device = devices.find(application.number, token, platform)
        if (device === null) throw noDevice()
        return written(device)
      },
      {
        detail: endpoint({
          tag: 'Devices',
          summary: 'Device details',
          idAlone: ID_ALONE.read,
          description: 'The device is named by a header. Where several platforms hold the token, the one seen last.',
          parameters: schema.HEADER_PARAMETERS,
          answers: {
            200: {
              description: 'The device record.',
              schema: shape.schema,
            },
          },
          failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
        }),
      },
    )

  function* records(
    application: number,
    { after, ...range }: { after: number; through: number; user: string | undefined },
  ): Generator<string> {
    for (let from = after; ;) {
      const page: readonly Device[] = devices.list(application, { ...range, after: from, limit: PAGE })
      for (const device of page) yield JSON.stringify(written(device))
      const last = page.at(-1)
      if (last === undefined) return
      from = last.id
    }
  }

  function* entries(application: number, since: number | undefined): Generator<string> {
    for (const entry of feedback.list(application, since)) {
      yield JSON.stringify({
        token: entry.token,
        platform: platformOnWire(entry.platform),
        reason: entry.reason,
        at: isoTime(entry.at),
      })
    }
  }
}

function query(name: string, description: string, example: unknown, schema: Readonly<Record<string, unknown>>) {
  return { name, in: 'query', description, example, schema }
}
