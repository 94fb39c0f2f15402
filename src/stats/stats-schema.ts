import { platform, readToken, token } from '../device/device-fields.ts'
import { refusalIn } from '../failure.ts'
import { count, objectSchema } from '../http/answer-schema.ts'
import { bodyOf, describedAs, fieldOf, invalid, missing, optional, required, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { actionName, RECEIPT_EVENTS } from './receipt.ts'
import type { Receipt, ReceiptEvent } from './receipt.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Clients of other services send their own ids: those are ignored. */
const pushId: Field<string | null> = {
  schema: {
    type: 'string',
    format: 'uuid',
    description: 'The id of the push, as `bellhop.push` in its payload has it. An invalid or unknown ID is ignored.',
    example: '019a9f7e-3c1b-7000-8000-000000000000',
  },
  emptyIsAbsent: true,
  read: (value) => (typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null),
}

/** Not in the contract: whatever is no token is ignored. */
const reportedBy: Field<string | null> = {
  schema: {
    ...token.schema,
    description: `${String(token.schema['description'])} With an \`id\`: the device that reports.`,
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

const event: Field<ReceiptEvent> = {
  schema: {
    type: 'string',
    enum: [...RECEIPT_EVENTS],
    default: 'opened',
    description: 'The event: a tap, an arrival, or a chosen button.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const known = RECEIPT_EVENTS.find((one) => one === value)
    if (known === undefined) throw invalid(name, `must be "opened", "received" or "action", not ${show(value)}`)
    return known
  },
}

const action = describedAs(
  'The name of the button, with event "action" and no other. The first 20 names of a push are counted apart, further ones as `other`.',
  actionName,
)

const clear = describedAs(
  'With a tap, an `id` and the `token` of a device that was sent the push: remove the notification from up to 20 other phones of the same user. The first tap alone does.',
  fieldOf({ type: 'boolean' }, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
)

/** Endpoint 14. */
export const RecordReceipt = bodyOf(
  {
    platform: required(platform),
    event: optional(event),
    action: optional(action),
    id: optional(pushId, ['aid']),
    token: optional(reportedBy),
    clear: optional(clear),
  },
  (input) => {
    const isAction = input.event === 'action'
    if (isAction && input.action === undefined) throw missing('action', ' with event "action"')
    if (!isAction && input.action !== undefined) throw invalid('action', 'is only for event "action"')
    const clears = input.clear === true
    if (clears && input.event === 'received') throw invalid('clear', 'is only for a tap: event "opened" or "action"')
    for (const name of ['id', 'token'] as const)
      if (clears && input[name] === undefined) throw missing(name, ' with clear')
    const receipt: Receipt = {
      event: input.event ?? 'opened',
      action: input.action ?? null,
      push: input.id ?? null,
      token: input.token ?? null,
    }
    return { platform: input.platform, receipt, clears }
  },
)

export const ANALYTICS = objectSchema('Analytics', {
  t: count('Notifications addressed: one for each device of each push.', 1200),
  o: count('Opens recorded.', 310),
  s: count('Notifications accepted by APNs, FCM or a push service, never more than `t`.', 1188),
})
