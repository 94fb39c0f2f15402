import { platform } from '../http/common-fields.ts'
import { bodyOf, invalid, optional, required, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const pushId: Field<string> = {
  schema: { type: 'string', format: 'uuid', description: 'The id of the push that was opened.' },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string' && UUID.test(value)) return value.toLowerCase()
    throw invalid(name, `must be the id of a push, a UUID, not ${show(value)}`)
  },
}

/** Endpoint 14. */
export const RecordOpen = bodyOf({ platform: required(platform), id: optional(pushId, ['aid']) })
