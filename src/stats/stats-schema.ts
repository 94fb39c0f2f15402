import { count, objectOf } from '../http/answer-schema.ts'
import { platform, readToken, token } from '../http/common-fields.ts'
import { Refused } from '../failure.ts'
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

/** Beside the contract, whose clients may send anything under this name: what is no token is ignored. */
const openedBy: Field<string | null> = {
  schema: {
    ...token.schema,
    description: `${String(token.schema['description'])} With an \`id\`: the device that opened it.`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    try {
      return readToken(value, name)
    } catch (error) {
      if (error instanceof Refused) return null
      throw error
    }
  },
}

/** Endpoint 14. */
export const RecordOpen = bodyOf({
  platform: required(platform),
  id: optional(pushId, ['aid']),
  token: optional(openedBy),
})

/** What GET /analytics answers. */
export const ANALYTICS = objectOf('Analytics', {
  t: count('Notifications addressed: one for each device of each push.'),
  o: count('Opens recorded.'),
  s: count('Notifications accepted by APNs or FCM, never more than `t`.'),
})
