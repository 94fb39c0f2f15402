import { bodyOf, describedAs, invalid, optional, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { readWebhookUrl } from '../webhook/address-guard.ts'
import { EVENT_TYPES } from '../webhook/event.ts'
import type { EventType } from '../webhook/event.ts'
import { secretBytes } from '../webhook/signature.ts'
import { knownOnly } from './application-schema.ts'

const url: Field<string> = {
  schema: { type: 'string', format: 'uri' },
  emptyIsAbsent: false,
  read(value, name) {
    const read = typeof value === 'string' ? readWebhookUrl(value) : { expected: 'a string' }
    if (read instanceof URL) return read.href
    throw invalid(name, `must be ${read.expected}, not ${show(value)}`)
  },
}

const events: Field<readonly EventType[]> = {
  schema: { type: 'array', items: { type: 'string', enum: EVENT_TYPES }, minItems: 1 },
  emptyIsAbsent: false,
  read(value, name) {
    const given: readonly unknown[] = Array.isArray(value) ? value : []
    const isKnown = given.length > 0 && given.every((one) => EVENT_TYPES.some((type) => type === one))
    if (!isKnown) throw invalid(name, `must be some of ${EVENT_TYPES.join(', ')}, not ${show(value)}`)
    return EVENT_TYPES.filter((type) => given.includes(type))
  },
}

/** Its errors do not repeat the secret. */
const secret: Field<string> = {
  schema: { type: 'string' },
  emptyIsAbsent: false,
  read(value, name) {
    if (typeof value === 'string' && (value === 'new' || secretBytes(value) !== null)) return value
    throw invalid(name, 'must be new, or whsec_ and the base64 of 24 to 64 bytes')
  },
}

export const ChangeWebhook = knownOnly(
  bodyOf({
    url: optional(describedAs('Where events go; needed where there is no webhook yet.', url)),
    events: optional(describedAs('Which of them. Default: all but push.opened.', events)),
    secret: optional(describedAs('What events are signed with; `new` makes another one.', secret)),
  }),
)
