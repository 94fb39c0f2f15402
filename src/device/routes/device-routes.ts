import { Elysia } from 'elysia'
import type { JudgeProof } from '../../application/user-proofs.ts'
import type { Commit } from '../../database/group-commit.ts'
import { failure, noRoom, Refused } from '../../failure.ts'
import type { Failure } from '../../failure.ts'
import { doneAnswer } from '../../http/answer-schema.ts'
import { described } from '../../http/endpoint.ts'
import { invalid } from '../../http/fields.ts'
import type { Gate } from '../../http/gate.ts'
import type { Log } from '../../log.ts'
import { EXAMPLE_TOKEN, MAX_LABELS } from '../device-fields.ts'
import { deviceRecordOf, RECORD } from '../device-record.ts'
import * as schema from '../device-schema.ts'
import type { DeviceStore } from '../device-store.ts'
import type { GrowthCall, GrowthBounds, LeftOut, Shortage } from '../growth.ts'
import { tokenWarning } from '../push-token.ts'
import { endpointProblem, SIMULATED_SERVICE } from '../webpush/push-services.ts'
import { ID_ALONE, idAloneOf } from './id-alone.ts'
import { broughtUnproven, judgeNames, mustProveNames } from './proven-names.ts'
import { PLATFORM } from '../../platform.ts'

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly devices: DeviceStore
  readonly bounds: GrowthBounds
  readonly judgeProof: JudgeProof
  /** Named by the operator: see `endpointProblem`. */
  readonly pushServices: readonly string[]
  readonly log: Pick<Log, 'info'>
  /** Without the secret, a device may take another's alias. Default false. */
  readonly aliasesOpen?: boolean
}

/** Endpoints 1 to 3. */
export function deviceRoutes(deps: Dependencies) {
  const { gate, commit, devices, bounds, judgeProof, log, pushServices, aliasesOpen = false } = deps
  return new Elysia({ name: 'device-routes' })
    .use(gate.plugin)
    .put(
      '/deviceToken',
      async ({ body, application, withSecret, address, request, status }) => {
        const allowed = application.simulated ? [...pushServices, SIMULATED_SERVICE] : pushServices
        const strayed = PLATFORM[body.platform].tokens === 'endpoint' ? endpointProblem(body.token, allowed) : null
        if (strayed !== null) throw invalid('token', strayed)
        const call = { application, withSecret, address }
        const names = judgeNames(call, body, judgeProof)
        if (names.kind === 'unproven') throw new Refused(names.why)
        const rights = {
          takesAlias: withSecret || aliasesOpen || names.aliasProven,
          bringsNames: !mustProveNames(call),
          adopts: application.limits.adoptImported === true,
        }
        const max = bounds.boundsOf(call)
        const outcome = unlessShort(
          bounds,
          call,
          await commit(() =>
            devices.register(application.number, { ...clientIn(request.headers), ...body }, rights, max),
          ),
        )
        if (outcome.kind === 'unproven') throw new Refused(broughtUnproven(outcome.field))
        const { kind, device, aliasTaken } = outcome
        if (outcome.adopted) {
          const { platform } = device
          log.info('a token replaced an imported device', {
            application: application.number,
            platform,
            withSecret,
          })
        }
        const warnings = [
          ...(aliasTaken ? ['alias belongs to another device'] : []),
          ...leftOutWarnings(bounds, call, outcome.leftOut),
        ]
        return status(kind === 'created' ? 201 : 200, deviceRecordOf(device, warnings))
      },
      described({
        tag: 'Devices',
        summary: 'Register or update a device',
        description:
          'Call it at every launch. An omitted field stays unchanged; an empty `tag` or `active` array clears, `alias: ""` removes. With the secret or a proof, an alias moves here from another device; without either, the device gets no alias and the record has `"warnings": ["alias belongs to another device"]`. New tags and types that the application has no room for without its secret are left out, and `warnings` names them. A token of iOS that is not 64 to 200 hex digits is taken, but never sent to: each record of it says `"warnings": ["not an APNs device token: …"]` and what it looks like. With the `user` of an imported device of the same platform that has not registered since, the registration takes its place as with `replaces`, where `bellhop app limits --adopt-imported` is on. A browser (`platform` 2) registers with the endpoint of its subscription as `token`, and with its `keys`; the endpoint must be of a push service that is allowed here.',
        idAlone: idAloneOf({ aliasesOpen }).register,
        body: schema.RegisterDevice,
        example: {
          token: EXAMPLE_TOKEN,
          platform: '0',
          tag: ['beta', 'plan:pro'],
          active: ['news'],
          alias: 'front-desk',
        },
        answers: {
          201: { description: 'Registered, or registered again.', schema: RECORD },
          200: { description: 'Updated.', schema: RECORD },
        },
        failures: { 401: NOT_PROVEN, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/deviceToken/batch',
      async ({ body, application, address, status }) => {
        const call = { application, address }
        const max = bounds.boundsOf(call)
        const outcome = unlessShort(
          bounds,
          call,
          await commit(() => devices.importBatch(application.number, body, max)),
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
          '`tags` are added to what a device has. If one token is invalid, nothing is imported. A token that cannot be Apple\'s is stored but never sent to, with a warning: `"warnings": ["tokens[0] is not an APNs device token: …"]`.',
        secret: true,
        body: schema.ImportDevices,
        example: { tokens: [EXAMPLE_TOKEN, '77b0a4e5'.repeat(8)], platform: '0', tags: ['imported'] },
        answers: {
          201: {
            description: 'All imported.',
            schema: schema.IMPORTED,
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
        description: "Deletes the device's data. Also 200 if it is unregistered or unknown.",
        idAlone: ID_ALONE.unregister,
        body: schema.UnregisterDevice,
        example: { token: EXAMPLE_TOKEN, platform: '0' },
        answers: doneAnswer('Device unregistered'),
        failures: { 409: 'MissingParameter' },
      }),
    )
}

/** Ignores anything but a name and version. */
function clientIn(headers: Headers): { readonly client?: string } {
  const client = headers.get('x-bellhop-client')
  return client !== null && /^[a-z-]{1,24}\/\d+\.\d+\.\d+[\w.+-]{0,24}$/.test(client) ? { client } : {}
}

export const NOT_PROVEN =
  'InvalidCredentials: unknown application, wrong secret, a proof that is wrong, or a user or alias that needs one.'

/** Documents `noDevice`. */
export const NO_DEVICE_FOUND = 'ResourceNotFound: no such device is registered.'

export function noDevice(): Refused {
  return new Refused(failure('ResourceNotFound', 'No device found'))
}

export function found(outcome: 'ok' | 'no-device'): void {
  if (outcome === 'no-device') throw noDevice()
}

export function labelled(
  message: string,
  field: 'tag' | 'active',
  outcome: 'ok' | 'no-device' | 'too-many-labels' | LeftOut | Shortage,
  bounds: Pick<GrowthBounds, 'refused'>,
  call: GrowthCall,
): { readonly message: string; readonly warnings?: readonly string[] } {
  if (outcome === 'no-device') throw noDevice()
  if (outcome === 'too-many-labels') throw tooMany(field, field === 'tag' ? 'tags' : 'types')
  const done = unlessShort(bounds, call, outcome)
  return done === 'ok' ? { message } : { message, warnings: leftOutWarnings(bounds, call, done) }
}

function unlessShort<Outcome>(
  bounds: Pick<GrowthBounds, 'refused'>,
  call: GrowthCall,
  outcome: Outcome | Shortage,
): Outcome {
  if (!isShortage(outcome)) return outcome
  bounds.refused(call.application, outcome)
  throw new Refused(failureOf(outcome))
}

function leftOutWarnings(
  bounds: Pick<GrowthBounds, 'refused'>,
  { application }: Pick<GrowthCall, 'application'>,
  leftOut: LeftOut | undefined,
): readonly string[] {
  if (leftOut === undefined) return []
  bounds.refused(application, leftOut)
  const { tag, type, network, max } = leftOut
  const why =
    network === null
      ? `the application has ${max} tags and types or more: calls without its secret add no others`
      : `your network has brought ${max} tags and types, as many as one may`
  const named = [['tag', tag] as const, ['active', type] as const].filter(([, names]) => names.length > 0)
  return named.map(
    ([field, names]) => `${field}: ${names.map((name) => JSON.stringify(name)).join(', ')} left out: ${why}`,
  )
}

const SHORTAGES: readonly unknown[] = ['no-room', 'full', 'too-fast'] satisfies readonly Shortage['kind'][]

function isShortage(outcome: unknown): outcome is Shortage {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome && SHORTAGES.includes(outcome.kind)
}

function failureOf(shortage: Shortage): Failure {
  switch (shortage.kind) {
    case 'no-room':
      return noRoom()
    case 'full':
      return failure(
        'InsufficientStorageError',
        `The application has ${shortage.max} devices or more: calls without its secret add no others.`,
        // Each hour devices that left long ago are erased.
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

function tooMany(name: string, what: 'tags' | 'types'): Refused {
  return new Refused(failure('InvalidArgument', `${name}: a device can have at most ${MAX_LABELS} ${what}.`))
}
