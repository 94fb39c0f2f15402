import { SIGNATURE_NAMES } from '../hook/sender-proof.ts'
import { bodyOf, describedAs, fieldOf, optional, required } from '../http/fields.ts'
import { isJsonObject, parseJsonObject } from '../text/json-object.ts'
import { knownOnly } from './application-schema.ts'

const template = describedAs(
  'The template, JSON.',
  fieldOf({ type: 'string' }, 'a string', (value) => (typeof value === 'string' ? value : undefined), {
    emptyIsAbsent: false,
  }),
)

const signature = describedAs(
  'How the sender signs its calls. Default: as before; of a new hook, a key in the path.',
  fieldOf({ enum: SIGNATURE_NAMES }, `one of ${SIGNATURE_NAMES.join(', ')}`, (value) =>
    SIGNATURE_NAMES.find((one) => one === value),
  ),
)

const secret = describedAs(
  'What the sender signs with, as it shows it.',
  fieldOf({ type: 'string' }, 'a string', (value) => (typeof value === 'string' ? value : undefined), {
    isSecret: true,
  }),
)

const newKey = describedAs(
  'true: another key; the old one stops working.',
  fieldOf({ type: 'boolean' }, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
)

export const ChangeHook = knownOnly(
  bodyOf({
    template: required(template),
    signature: optional(signature),
    secret: optional(secret),
    newKey: optional(newKey),
  }),
)

const example = describedAs(
  'The body of a call, JSON.',
  fieldOf(
    { type: 'string' },
    'the text of a JSON object',
    (value) => (typeof value === 'string' ? (parseJsonObject(value) ?? undefined) : undefined),
    { emptyIsAbsent: false },
  ),
)

const headers = describedAs(
  'Headers of a call, by their names.',
  fieldOf({ type: 'object', additionalProperties: { type: 'string' } }, 'an object of texts', (value) => {
    if (!isJsonObject(value)) return undefined
    const entries = Object.entries(value)
    return entries.every(([, text]) => typeof text === 'string') ? new Map(entries.map(lowered)) : undefined
  }),
)

const lowered = ([name, text]: readonly [string, unknown]) => [name.toLowerCase(), String(text)] as const

export const PreviewHook = knownOnly(
  bodyOf(
    {
      template: required(template),
      signature: optional(signature),
      example: required(example),
      headers: optional(headers),
    },
    ({ headers: given = new Map<string, string>(), ...rest }) => ({ ...rest, headers: given }),
  ),
)
