import { Elysia } from 'elysia'
import type { Commit } from '../../database/group-commit.ts'
import { failure, Refused } from '../../failure.ts'
import { doneAnswer, exampleOf, shownAs } from '../../http/answer-schema.ts'
import { described } from '../../http/endpoint.ts'
import { bodyOf, missing, optional, required } from '../../http/fields.ts'
import type { JsonSchema } from '../../http/fields.ts'
import type { Gate } from '../../http/gate.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../../platform.ts'
import { alias, EXAMPLE_TOKEN, names, platform, token } from '../device-fields.ts'
import { RECORD } from '../device-record.ts'
import type { DeviceRecord, RecordShape } from '../device-record.ts'
import { deviceNamed } from '../device-schema.ts'
import type { DeviceStore } from '../device-store.ts'
import type { GrowthBounds } from '../growth.ts'
import { checkNaming } from '../routes/device-property-routes.ts'
import { found, labelled, NO_DEVICE_FOUND, noDevice } from '../routes/device-routes.ts'
import { ID_ALONE_IN_COMPAT } from '../routes/id-alone.ts'

/** PUT /activate and /deactivate name the device as PUT /tag does. */
const ActivateTypes = bodyOf(
  {
    platform: required(platform),
    active: required(names),
    token: optional(token),
    alias: optional(alias, ['Alias']),
  },
  (input) => {
    if (input.active.length === 0) throw missing('active')
    return { active: input.active, address: deviceNamed(input, 'alias') }
  },
)

/** Without `platform`: on any platform. */
const RemoveAlias = bodyOf(
  { platform: optional(platform), alias: optional(alias, ['Alias']), token: optional(token) },
  (input) => {
    if (input.alias === undefined && input.token === undefined) throw missing('alias', ', or token')
    return input
  },
)

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly devices: Pick<DeviceStore, 'addLabels' | 'removeLabels' | 'removeAlias'>
  readonly bounds: GrowthBounds
}

/** Only clients of the original service use these paths. */
export function compatRoutes({ gate, commit, devices, bounds }: Dependencies) {
  return new Elysia({ name: 'compat-routes' })
    .use(gate.plugin)
    .put(
      '/activate',
      async ({ body, application, withSecret, address }) => {
        if ('alias' in body.address) checkNaming('alias', { application, withSecret, aliasesOpen: true })
        const call = { application, address }
        const max = bounds.boundsOf(call)
        const outcome = await commit(() =>
          devices.addLabels(application.number, body.address, 'type', body.active, max),
        )
        return labelled('Activated', 'active', outcome, bounds, call)
      },
      described({
        tag: 'Devices',
        summary: 'Add notification types to a device',
        description: 'Name the device by `token` or by `alias`.',
        idAlone: ID_ALONE_IN_COMPAT.activate,
        body: ActivateTypes,
        example: { platform: '0', token: EXAMPLE_TOKEN, active: ['news'] },
        answers: doneAnswer('Activated'),
        failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/deactivate',
      async ({ body, application, withSecret }) => {
        const { address, active } = body
        if ('alias' in address) checkNaming('alias', { application, withSecret, aliasesOpen: true })
        found(await commit(() => devices.removeLabels(application.number, address, 'type', active)))
        return { message: 'Deactivated' }
      },
      described({
        tag: 'Devices',
        summary: 'Remove notification types from a device',
        description: 'Also 200 where the device does not have them.',
        idAlone: ID_ALONE_IN_COMPAT.deactivate,
        body: ActivateTypes,
        example: { platform: '0', alias: 'front-desk', active: ['news'] },
        answers: doneAnswer('Deactivated'),
        failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/alias/del',
      async ({ body, application, withSecret }) => {
        if (body.token === undefined) checkNaming('alias', { application, withSecret, aliasesOpen: true })
        const outcome = await commit(() => devices.removeAlias(application.number, body))
        if (outcome === 'no-device') throw noDevice()
        if (outcome === 'mismatch') {
          throw new Refused(failure('ConflictError', 'token and alias name different devices.'))
        }
        return { message: 'Alias removed' }
      },
      described({
        tag: 'Devices',
        summary: 'Remove the alias of a device',
        description: 'Name the device by `alias`, by `token`, or by both; `platform` is optional.',
        idAlone: ID_ALONE_IN_COMPAT.removeAlias,
        body: RemoveAlias,
        example: { alias: 'front-desk' },
        answers: doneAnswer('Alias removed'),
        failures: {
          404: NO_DEVICE_FOUND,
          409: 'MissingParameter; ConflictError: token and alias name different devices.',
        },
      }),
    )
}

export const compatShape: RecordShape = {
  written,
  schema: compatSchema(RECORD['properties'] as Readonly<Record<string, JsonSchema>>),
}

function written(record: DeviceRecord) {
  return { ...record, platform: Number(record.platform), tags: record.tag }
}

function compatSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { tag, ...others } = properties
  const platform = { type: 'integer', enum: PLATFORMS, description: `${PLATFORM_CHOICE}, as a number.` }
  const tags = { ...tag, description: 'The same as `tag`.' }
  const required = [...(RECORD['required'] as readonly string[]), 'tags']
  const example = exampleOf(RECORD)
  return shownAs<object>(
    { ...RECORD, required, properties: { ...others, ...(tag && { tag, tags }), platform } },
    example && written(example),
  )
}
