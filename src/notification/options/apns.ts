import { invalid, show } from '../../http/fields.ts'
import type { JsonObject } from '../../text/json-object.ts'
import { readObject, withoutNulls } from '../option-fields.ts'
import type { PushOption } from '../option.ts'
import { apsFaultOf } from '../payload-rules.ts'

export type RawApns = JsonObject & { readonly aps?: JsonObject }

/** Merged last; `aps` key by key. */
export const apns: PushOption<RawApns> = {
  field: {
    schema: {
      type: 'object',
      additionalProperties: true,
      description:
        'Merged into the body for APNs after everything else: `aps` key by key, other keys whole. Cannot set headers or aps.badge (use `badge`). Nested at most 64 deep; counts towards the 4096 bytes.',
      example: { aps: { 'relevance-score': 0.5 } },
    },
    emptyIsAbsent: true,
    read(value, name) {
      const { aps: given, ...besides } = readObject(value, name) ?? {}
      const object = readObject(given ?? {}, `${name}.aps`)
      if (object === null) return Object.keys(besides).length === 0 ? null : besides
      const aps = withoutNulls(object)
      if (Object.hasOwn(aps, 'badge')) {
        throw invalid(`${name}.aps.badge`, 'is not allowed: use badge, which counts it for each device')
      }
      const fault = apsFaultOf(aps)
      if (fault !== null) throw invalid(`${name}.aps.${fault.key}`, `${fault.problem}, not ${show(aps[fault.key])}`)
      return { aps, ...besides }
    },
  },
  isEnough: true,
  mayBeLong: true,
  input: { kind: 'json', label: 'APNs override (JSON)', hint: 'Merged into the payload last.' },
  apns({ aps, ...beside }, draft) {
    draft.aps = { ...draft.aps, ...aps }
    draft[''] = { ...draft[''], ...beside }
  },
}
