import { isAppleId, isBundleId } from '../application/apple-names.ts'
import { LIMIT_SWITCHES, LIMIT_VALUES } from '../application/application.ts'
import type { Limits } from '../application/application.ts'
import { isVapidSubject, VAPID_SUBJECT } from '../application/vapid.ts'
import { failure, Refused } from '../failure.ts'
import { bodyOf, closed, describedAs, fieldOf, invalid, optional, required, show, wholeNumber } from '../http/fields.ts'
import type { Body, Field, JsonSchema } from '../http/fields.ts'
import type { SettingType } from '../settings/setting-type.ts'
import { suggestion } from '../text/nearest.ts'
import { readWebhookUrl } from '../webhook/address-guard.ts'
import { EVENT_TYPES } from '../webhook/event.ts'
import type { EventType } from '../webhook/event.ts'
import { secretBytes } from '../webhook/signature.ts'

const MAX_NAME_CHARACTERS = 100

/** `schema`: for the document alone. */
export const anyString = (schema: JsonSchema, how: Parameters<typeof fieldOf>[3]): Field<string> =>
  fieldOf({ type: 'string', ...schema }, 'a string', (value) => (typeof value === 'string' ? value : undefined), how)

/** The store checks the name. */
const givenName = anyString({ minLength: 1, maxLength: MAX_NAME_CHARACTERS }, { emptyIsAbsent: false })

const yesOrNo = fieldOf(
  { type: 'boolean' },
  'true or false',
  (value) => (typeof value === 'boolean' ? value : undefined),
  { emptyIsAbsent: false },
)

/** Reads a value by the command line's rules. */
function byRule<T>({ read, expected }: Pick<SettingType<T>, 'read' | 'expected'>, schema: JsonSchema): Field<T> {
  const readAny = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? read(String(value)) : undefined
  return fieldOf(schema, expected, readAny, { emptyIsAbsent: false })
}

const fileText = anyString({ minLength: 1 }, { isSecret: true })

const fileBytes = fieldOf(
  { type: 'string', format: 'byte' },
  'the file in base64',
  (value) => (typeof value === 'string' ? bytesIn(value) : undefined),
  { isSecret: true },
)

function bytesIn(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Refuses unknown fields. */
export function knownOnly<T>(body: Body<T>): Body<T> {
  const known = Object.keys(body.schema['properties'] as object)
  return closed(
    body,
    (name) => new Refused(failure('InvalidArgument', `${show(name)} is not known here.${suggestion(name, known)}`)),
  )
}

const limits = {
  ...Object.fromEntries(
    Object.entries(LIMIT_VALUES).map(([name, [, type, doc]]) => {
      const schema = name === 'quotaPeriod' ? { enum: ['day', 'month'] } : { type: 'number', minimum: 0 }
      return [name, optional(describedAs(doc, byRule<unknown>(type, schema)))]
    }),
  ),
  ...Object.fromEntries(
    Object.entries(LIMIT_SWITCHES).map(([name, { on }]) => [name, optional(describedAs(`true: ${on}`, yesOrNo))]),
  ),
}

export const ChangeLimits = knownOnly(bodyOf(limits, (given) => given as Partial<Limits>))

export const NewApplication = knownOnly(bodyOf({ name: required(givenName), simulate: optional(yesOrNo) }))
/** A year. */
const MAX_OVERLAP_SECONDS = 31_536_000

export const RotateSecret = bodyOf({ overlapSeconds: optional(wholeNumber(0, MAX_OVERLAP_SECONDS)) })

export const Simulate = knownOnly(bodyOf({ simulate: required(yesOrNo), confirm: optional(yesOrNo) }))
export const DeleteApplication = knownOnly(bodyOf({ name: required(givenName) }))

const appleId = byRule(
  { read: (text) => (isAppleId(text) ? text : undefined), expected: '10 characters of A-Z and 0-9, as Apple shows it' },
  { type: 'string' },
)
const bundleId = byRule(
  { read: (text) => (isBundleId(text) ? text : undefined), expected: 'a bundle id, such as com.example.app' },
  { type: 'string' },
)
const ENVIRONMENTS = ['auto', 'production', 'sandbox'] as const
const environment = byRule(
  { read: (text) => ENVIRONMENTS.find((one) => one === text), expected: `one of ${ENVIRONMENTS.join(', ')}` },
  { enum: ENVIRONMENTS },
)

/** A key with its IDs, or a certificate; the route checks which. */
export const ApnsFiles = knownOnly(
  bodyOf({
    key: optional(describedAs('The text of the .p8 file.', fileText)),
    keyId: optional(appleId),
    teamId: optional(appleId),
    certificate: optional(describedAs('The .p12 or .pem file in base64.', fileBytes)),
    password: optional(describedAs('Of the certificate file.', fileText)),
    topic: optional(describedAs('The bundle ID. A certificate usually contains it.', bundleId)),
    environment: optional(environment),
  }),
)
export const FcmFile = knownOnly(
  bodyOf({ serviceAccount: required(describedAs("The text of the service account's JSON key file.", fileText)) }),
)

const vapidSubject = byRule(
  { read: (text) => (isVapidSubject(text) ? text : undefined), expected: VAPID_SUBJECT },
  { type: 'string' },
)

export const VapidFields = knownOnly(
  bodyOf({
    subject: optional(describedAs('Contact address for push services. Required once.', vapidSubject)),
    key: optional(
      describedAs(
        'A private key to import: PEM, 43 characters of base64url, or the JSON that web-push prints.',
        fileText,
      ),
    ),
    new: optional(describedAs('true: replace the key; every browser must subscribe again.', yesOrNo)),
  }),
)

const webhookUrl: Field<string> = {
  schema: { type: 'string', format: 'uri' },
  emptyIsAbsent: false,
  read(value, name) {
    const read = typeof value === 'string' ? readWebhookUrl(value) : { expected: 'a string' }
    if (read instanceof URL) return read.href
    throw invalid(name, `must be ${read.expected}, not ${show(value)}`)
  },
}

const webhookEvents = fieldOf(
  { type: 'array', items: { type: 'string', enum: EVENT_TYPES }, minItems: 1 },
  `some of ${EVENT_TYPES.join(', ')}`,
  (value): readonly EventType[] | undefined => {
    const given: readonly unknown[] = Array.isArray(value) ? value : []
    const isKnown = given.length > 0 && given.every((one) => EVENT_TYPES.some((type) => type === one))
    return isKnown ? EVENT_TYPES.filter((type) => given.includes(type)) : undefined
  },
  { emptyIsAbsent: false },
)

const webhookSecret = fieldOf(
  { type: 'string' },
  'new, or whsec_ and the base64 of 24 to 64 bytes',
  (value) => (typeof value === 'string' && (value === 'new' || secretBytes(value) !== null) ? value : undefined),
  { emptyIsAbsent: false, isSecret: true },
)

export const ChangeWebhook = knownOnly(
  bodyOf({
    url: optional(describedAs('Where events go; needed where there is no webhook yet.', webhookUrl)),
    events: optional(describedAs('Which of them. Default: all but push.opened.', webhookEvents)),
    secret: optional(describedAs('The signing secret. `new` creates another.', webhookSecret)),
  }),
)
