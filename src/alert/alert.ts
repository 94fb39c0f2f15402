import { readWebhookUrl } from '../webhook/address-guard.ts'
import { withoutBrackets } from '../network/special-networks.ts'

export const ALERT_KINDS = ['not-ready', 'backup-late', 'certificate', 'quota', 'credential', 'disk'] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const CHANNELS = ['webhook', 'ntfy', 'email'] as const
export type Channel = (typeof CHANNELS)[number]

export interface Alert {
  readonly number: number
  readonly name: string
  readonly channel: Channel
  /** Origin or mail address. A URL's path may be secret. */
  readonly place: string
  readonly kinds: readonly AlertKind[]
  readonly createdAt: number
  /** When a message was last accepted, if ever. */
  readonly toldAt: number | null
  /** Why the last message was not accepted, if so. */
  readonly problem: string | null
}

/** Sealed. */
export interface AlertTarget {
  readonly url: string
  /** `whsec_…` of a webhook, ntfy's access token, or the mail password. */
  readonly secret: string | null
}

export interface AlertCondition {
  readonly kind: AlertKind
  /** Whether /readyz answers 503 for it. Then alerts without its kind report it as `not-ready`. */
  readonly isFailure: boolean
  /** Identifies the condition for as long as it holds. */
  readonly about: string
  /** A sentence without secrets or message texts. */
  readonly what: string
  readonly next: string
}

/** From `smtps://user@mail.example.com?from=…&to=…`. */
export interface MailRoute {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly secure: boolean
  readonly user: string | null
  readonly from: string
  readonly to: string
}

const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/

const EXPECTED_MAIL_URL =
  'an address such as smtps://user@mail.example.com:465?from=bellhop@example.com&to=you@example.com, without a password'

/** Submission over TLS (RFC 8314, 7.3), and with STARTTLS (RFC 6409, 3.1). */
const TLS_PORT = 465
const STARTTLS_PORT = 587

export function readMailUrl(text: string): MailRoute | null {
  const url = URL.parse(text)
  if (url === null || !['smtps:', 'smtp:'].includes(url.protocol) || url.hostname === '') return null
  const [from = '', to = ''] = ['from', 'to'].map((name) => url.searchParams.get(name) ?? '')
  const user = decoded(url.username)
  if (url.password !== '' || user === null || !ADDRESS.test(from) || !ADDRESS.test(to)) return null
  const secure = url.protocol === 'smtps:'
  const port = url.port === '' ? (secure ? TLS_PORT : STARTTLS_PORT) : Number(url.port)
  return { host: withoutBrackets(url.hostname), port, secure, user: user === '' ? null : user, from, to }
}

/** `place`: the part that may be shown. `expected` completes `"…" is not `. */
export function readAlertUrl(
  channel: Channel,
  text: string,
): { readonly place: string; readonly url: string } | { readonly expected: string } {
  if (channel === 'email') {
    const route = readMailUrl(text)
    return route === null ? { expected: EXPECTED_MAIL_URL } : { place: route.to, url: text }
  }
  const read = readWebhookUrl(text)
  return 'expected' in read ? read : { place: read.origin, url: read.href }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
