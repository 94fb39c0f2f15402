import { Elysia } from 'elysia'
import type { Commit } from '../database/group-commit.ts'
import { failure, noRoom, Refused } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { DONE } from '../http/answer-schema.ts'
import { described } from '../http/endpoint.ts'
import type { Gate } from '../http/gate.ts'
import { EXAMPLE_TOKEN } from './device-fields.ts'
import * as schema from './device-schema.ts'
import { deviceRecordOf } from './device-schema.ts'
import type { DeviceStore } from './device-store.ts'
import { MAX_LABELS } from './device.ts'
import type { Platform } from './device.ts'
import type { GrowthCall, GrowthBounds, Shortage } from './growth.ts'
import { tokenWarning } from './push-token.ts'

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly devices: DeviceStore
  readonly bounds: GrowthBounds
  /**
   * A call has set the count stored with a device, `device.id`. Runs in its transaction, and may run twice; the returned
   * function undoes it.
   */
  readonly badgeSet: (application: number, platform: Platform, device: number) => () => void
  /** Whether without the secret a device may be named by its alias alone, and take that of another. Default false. */
  readonly aliasesOpen?: boolean
}

const OK = (message: string) => ({ 200: { description: message, schema: DONE, example: { message } } })
const RECORD = { schema: schema.RECORD, example: schema.RECORD_EXAMPLE }
const NO_DEVICE = 'ResourceNotFound: no such device is registered.'

/** Endpoints 1 to 7 and 13: what changes one device, or imports many. */
export function deviceRoutes({ gate, commit, devices, bounds, badgeSet, aliasesOpen = false }: Dependencies) {
  /** The application id is public, and an alias can be guessed. */
  function checkNamed(field: 'Alias' | 'current_alias', byAliasAlone: boolean, withSecret: boolean): void {
    if (!byAliasAlone || withSecret || aliasesOpen) return
    const problem = `${field} without token needs X-SERVICE-SECRET, the secret of the application.`
    throw new Refused(failure('InvalidHeader', problem))
  }

  return new Elysia({ name: 'device-routes' })
    .use(gate.plugin)
    .put(
      '/deviceToken',
      async ({ body, application, withSecret, address, status }) => {
        const call = { application, withSecret, address }
        const outcome = await withinBounds(bounds, call, (max) =>
          commit(() => devices.register(application.number, body, withSecret || aliasesOpen, max)),
        )
        const { kind, device, aliasTaken } = outcome
        const warnings = aliasTaken ? ['alias belongs to another device'] : []
        return status(kind === 'created' ? 201 : 200, deviceRecordOf(device, warnings))
      },
      described({
        tag: 'Devices',
        summary: 'Register or update a device',
        description:
          'Call it on every launch. A field left out stays as it was; an empty `tag` or `active` array clears, `alias: ""` removes. An alias that another device has moves here with the secret; without it the device has none from then on, and the record says `"warnings": ["alias belongs to another device"]`. A token of iOS that is not 64 to 200 hex digits is taken, but never sent to: each record of it says `"warnings": ["not an APNs device token: …"]` and what it looks like.',
        body: schema.RegisterDevice,
        example: {
          token: EXAMPLE_TOKEN,
          platform: '0',
          tag: ['beta', 'user:17'],
          active: ['news'],
          alias: 'front-desk',
        },
        answers: {
          201: { description: 'Registered, or registered anew.', ...RECORD },
          200: { description: 'Updated.', ...RECORD },
        },
        failures: { 409: 'MissingParameter' },
      }),
    )
    .put(
      '/deviceToken/batch',
      async ({ body, application, withSecret, address, status }) => {
        const outcome = await withinBounds(bounds, { application, withSecret, address }, (max) =>
          commit(() => devices.importBatch(application.number, body, max)),
        )
        if (outcome.kind === 'too-many-labels') throw tooMany(`tokens[${outcome.index}]`, 'tags')
        const { created, updated } = outcome
        const warnings = body.tokens.flatMap((token, index) => {
          const warning = tokenWarning(body.platform, token)
          return warning === null ? [] : [`tokens[${index}] is ${warning}`]
        })
        const counts = { imported: created + updated, created, updated }
        return status(201, { message: 'Devices imported', ...counts, ...(warnings.length > 0 && { warnings }) })
      },
      described({
        tag: 'Devices',
        summary: 'Register up to 500 devices',
        description:
          '`tags` are added to what a device has. One bad token and nothing is imported. What cannot be a token of Apple is taken, never sent to, and said: `"warnings": ["tokens[0] is not an APNs device token: …"]`.',
        secret: true,
        body: schema.ImportDevices,
        example: { tokens: [EXAMPLE_TOKEN, '77b0a4e5'.repeat(8)], platform: '0', tags: ['imported'] },
        answers: {
          201: {
            description: 'All imported.',
            schema: schema.IMPORTED,
            example: { message: 'Devices imported', imported: 2, created: 2, updated: 0 },
          },
        },
        failures: { 409: 'MissingParameter' },
      }),
    )
    .put(
      '/deviceToken/del',
      async ({ body, application }) => {
        await commit(() => devices.unregister(application.number, body.platform, body.token))
        return { message: 'Device unregistered' }
      },
      described({
        tag: 'Devices',
        summary: 'Unregister a device',
        description: 'Erases the data of the device. Also 200 for one that is gone or was never seen.',
        body: schema.UnregisterDevice,
        example: { token: EXAMPLE_TOKEN, platform: '0' },
        answers: OK('Device unregistered'),
        failures: { 409: 'MissingParameter' },
      }),
    )
    .put(
      '/alias',
      async ({ body, application, withSecret }) => {
        checkNamed('current_alias', body.token === undefined, withSecret)
        const outcome = await commit(() =>
          devices.setAlias(
            application.number,
            {
              platform: body.platform,
              ...(body.token !== undefined && { token: body.token }),
              ...(body.current_alias !== undefined && { currentAlias: body.current_alias }),
              alias: body.alias,
            },
            aliasesOpen,
          ),
        )
        switch (outcome) {
          case 'ok':
            return { message: body.alias === '' ? 'Alias removed' : 'Alias set' }
          case 'no-device':
            throw noDevice()
          case 'alias-taken':
            throw aliasTaken()
          case 'mismatch':
            throw new Refused(failure('ConflictError', 'token and current_alias name different devices.'))
        }
      },
      described({
        tag: 'Devices',
        summary: 'Add or update the alias of a device',
        description:
          'Name the device by `token`, by both `token` and `current_alias`, or, which needs the secret, by `current_alias` alone. `alias: ""` removes it.',
        body: schema.SetAlias,
        example: { platform: '0', token: EXAMPLE_TOKEN, alias: 'front-desk' },
        answers: OK('Alias set'),
        failures: { 404: NO_DEVICE, 409: 'MissingParameter; ConflictError: the alias belongs to another device.' },
      }),
    )
    .put(
      '/tag',
      async ({ body, application, withSecret, address, status }) => {
        checkNamed('Alias', 'alias' in body.address, withSecret)
        const outcome = await withinBounds(bounds, { application, withSecret, address }, (max) =>
          commit(() => devices.addLabels(application.number, body.address, 'tag', body.tag, max)),
        )
        checkLabelled(outcome, 'tag')
        return status(201, { message: 'Tagged' })
      },
      described({
        tag: 'Devices',
        summary: 'Tag a device',
        description: 'Name the device by `token`, or, which needs the secret, by `Alias` alone.',
        body: schema.TagDevice,
        example: { platform: '0', token: EXAMPLE_TOKEN, tag: 'beta' },
        answers: { 201: { description: 'Tagged', schema: DONE, example: { message: 'Tagged' } } },
        failures: { 404: NO_DEVICE, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/tag/del',
      async ({ body, application, withSecret }) => {
        checkNamed('Alias', 'alias' in body.address, withSecret)
        found(await commit(() => devices.removeLabels(application.number, body.address, 'tag', body.tag)))
        return { message: 'Untagged' }
      },
      described({
        tag: 'Devices',
        summary: 'Untag a device',
        description:
          'Name the device by `token`, or, which needs the secret, by `Alias` alone. Also 200 where it does not have the tag.',
        body: schema.TagDevice,
        example: { platform: '0', token: EXAMPLE_TOKEN, tag: 'beta' },
        answers: OK('Untagged'),
        failures: { 404: NO_DEVICE, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/geo',
      async ({ body, application }) => {
        found(await commit(() => devices.setLocation(application.number, body)))
        return { message: 'Location set' }
      },
      described({
        tag: 'Devices',
        summary: 'Set the location of a device',
        body: schema.SetLocation,
        example: { platform: '0', token: EXAMPLE_TOKEN, lat: '52.52', lng: '13.405' },
        answers: OK('Location set'),
        failures: { 404: NO_DEVICE, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/badge',
      async ({ body, application }) => {
        const badge = { platform: body.platform, token: body.token, badge: body.setbadgecount }
        const undo: (() => void)[] = []
        const set = await commit(() => {
          const device = devices.setBadge(application.number, badge)
          if (device !== null) undo.unshift(badgeSet(application.number, body.platform, device))
          return device
        }).catch((error: unknown) => {
          for (const step of undo) step()
          throw error
        })
        if (set === null) throw noDevice()
        return { message: 'Badge set' }
      },
      described({
        tag: 'Devices',
        summary: 'Set the badge count of a device',
        body: schema.SetBadge,
        example: { platform: '0', token: EXAMPLE_TOKEN, setbadgecount: 3 },
        answers: OK('Badge set'),
        failures: { 404: NO_DEVICE, 409: 'MissingParameter' },
      }),
    )
}

export function noDevice(): Refused {
  return new Refused(failure('ResourceNotFound', 'No device found'))
}

export function found(outcome: 'ok' | 'no-device'): void {
  if (outcome === 'no-device') throw noDevice()
}

export function checkLabelled(outcome: 'ok' | 'no-device' | 'too-many-labels', field: 'tag' | 'active'): void {
  if (outcome === 'no-device') throw noDevice()
  if (outcome === 'too-many-labels') throw tooMany(field, field === 'tag' ? 'tags' : 'types')
}

/** Runs a call that may make the registry grow; throws where it may not. */
export async function withinBounds<Outcome>(
  bounds: GrowthBounds,
  call: GrowthCall,
  run: (max: ReturnType<GrowthBounds['boundsOf']>) => Promise<Outcome | Shortage>,
): Promise<Outcome> {
  const outcome = await run(bounds.boundsOf(call))
  if (!isShortage(outcome)) return outcome
  bounds.refused(call.application, outcome)
  throw new Refused(failureOf(outcome))
}

function isShortage(outcome: unknown): outcome is Shortage {
  const kinds: readonly unknown[] = ['no-room', 'full', 'too-fast'] satisfies readonly Shortage['kind'][]
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && kinds.includes(outcome.kind)
}

function failureOf(shortage: Shortage): Failure {
  switch (shortage.kind) {
    case 'no-room':
      return noRoom()
    case 'full':
      return failure(
        'InsufficientStorageError',
        `The application has ${shortage.max} ${shortage.resource === 'labels' ? 'tags and types' : 'devices'}, as many as calls without its secret may bring.`,
        // What nobody has is erased each hour.
        { 'retry-after': '3600' },
      )
    case 'too-fast':
      return failure(
        'TooManyRequestsError',
        'Your address has brought too many new tags, types or long tokens: beyond ten labels a call they are taken more slowly.',
        { 'retry-after': String(shortage.retryAfterSeconds) },
      )
  }
}

function aliasTaken(): Refused {
  return new Refused(failure('ConflictError', 'alias belongs to another device of the application.'))
}

function tooMany(name: string, what: 'tags' | 'types'): Refused {
  return new Refused(failure('InvalidArgument', `${name}: a device can have at most ${MAX_LABELS} ${what}.`))
}
