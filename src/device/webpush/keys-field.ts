import { invalid, show } from '../../http/fields.ts'
import type { Field } from '../../http/fields.ts'
import { isJsonObject } from '../../text/json-object.ts'
import { readSubscriptionKeys } from './subscription-keys.ts'
import type { SubscriptionKeys } from './subscription-keys.ts'

const base64url = (description: string) => ({ type: 'string', pattern: '^[A-Za-z0-9_-]+$', description })

export const keys: Field<SubscriptionKeys> = {
  schema: {
    type: 'object',
    properties: {
      p256dh: base64url('The public key: 65 bytes, 87 characters of base64url without padding.'),
      auth: base64url('The authentication secret: 16 bytes, 22 characters.'),
    },
    required: ['p256dh', 'auth'],
    description:
      'Of a browser, where they are required: the keys of its subscription, as `subscription.toJSON().keys` has them, 65 and 16 bytes in base64url without padding. They are never shown again.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (!isJsonObject(value)) throw invalid(name, `must be {"p256dh": …, "auth": …}, not ${show(value)}`)
    const [p256dh, auth] = [textOf(value, 'p256dh'), textOf(value, 'auth')]
    const read = readSubscriptionKeys({ p256dh, auth })
    if (read.kind === 'invalid') throw invalid(`${name}.${read.field}`, read.expected)
    return read.keys
  },
}

function textOf(value: Readonly<Record<string, unknown>>, name: 'p256dh' | 'auth'): string {
  const text = value[name]
  if (typeof text === 'string') return text
  throw invalid(`keys.${name}`, `must be a string, not ${show(text)}`)
}
