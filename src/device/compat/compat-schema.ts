import { bodyOf, missing, optional, required } from '../../http/fields.ts'
import type { JsonSchema } from '../../http/fields.ts'
import { alias, names, platform, token } from '../device-fields.ts'
import { deviceNamed } from '../device-schema.ts'
import { exampleOf, shownAs } from '../../http/answer-schema.ts'
import { RECORD } from '../device-record.ts'
import type { DeviceRecord, RecordShape } from '../device-record.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../../platform.ts'

/** PUT /activate and /deactivate: the device is named as in PUT /tag. */
export const ActivateTypes = bodyOf(
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

/** PUT /alias/del. Without `platform` on all of them. */
export const RemoveAlias = bodyOf(
  { platform: optional(platform), alias: optional(alias, ['Alias']), token: optional(token) },
  (input) => {
    if (input.alias === undefined && input.token === undefined) throw missing('alias', ', or token')
    return input
  },
)

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
