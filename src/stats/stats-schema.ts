import { platform, readToken, token } from '../device/device-fields.ts'
import { refusalIn } from '../failure.ts'
import { count, objectSchema } from '../http/answer-schema.ts'
import { bodyOf, optional, required } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Clients of other services send ids of their own under this name: what is no id of a push is ignored. */
const pushId: Field<string | null> = {
  schema: {
    type: 'string',
    format: 'uuid',
    description:
      'The id of the push that was opened, as `bellhop.push` in its payload has it. One that is no UUID, or of no push of this application, is ignored.',
    example: '019a9f7e-3c1b-7000-8000-000000000000',
  },
  emptyIsAbsent: true,
  read: (value) => (typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null),
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
      refusalIn(error)
      return null
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
export const ANALYTICS = objectSchema('Analytics', {
  t: count('Notifications addressed: one for each device of each push.'),
  o: count('Opens recorded.'),
  s: count('Notifications accepted by APNs or FCM, never more than `t`.'),
})
