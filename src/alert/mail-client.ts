import { isIP } from 'node:net'
import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { addressesOf } from '../network/lookup.ts'
import { isPublic } from '../network/special-networks.ts'
import { codeOf } from '../text/error-code.ts'
import { refusal } from '../webhook/address-guard.ts'
import type { MailRoute } from './alert.ts'
import type { AlertMessage } from './alert-message.ts'

/** One try: `null`, or why the mail server has not taken the mail. */
export type SendMail = (
  route: MailRoute,
  password: string | null,
  message: Pick<AlertMessage, 'id' | 'title' | 'text'>,
) => Promise<string | null>

interface Options {
  readonly clock: Pick<Clock, 'after'>
  /** PEM. `undefined`: what the system trusts. */
  readonly ca: string | undefined
  /** Whether the server may be at an address that is not of the internet; there it may be without TLS. */
  readonly allowPrivate: boolean
  /** All addresses of a name. Default: as the system resolves it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 20_000

/** Resolves the name itself, and connects to an address that it has looked at, as webhooks do (`post.ts`). */
export function createSendMail({ clock, ca, allowPrivate, resolve = addressesOf }: Options): SendMail {
  const send: SendMail = async ({ host, port, secure, user, from, to }, password, { id, title, text }) => {
    const addresses = await resolve(host)
    const refused = refusal(new URL('smtp://mail'), addresses, allowPrivate)
    if (refused !== null) return refused
    // Loaded by the first mail.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      host: addresses[0] ?? host,
      port,
      secure,
      requireTLS: addresses.some(isPublic),
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      // An address is not a name for SNI (RFC 6066, 3): the certificate must have it all the same.
      tls: { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) },
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    await transport.sendMail({ from, to, subject: title, text, messageId: `<${id}@${from.split('@').at(-1)}>` })
    return null
  }

  return async (...given) => {
    try {
      return await within(clock, TIMEOUT_MS, send(...given), 'no answer in time')
    } catch (error) {
      return reasonOf(error)
    }
  }
}

/** Not what the server says, which may quote who signs in. */
function reasonOf(error: unknown): string {
  const status = error instanceof Error && 'responseCode' in error ? error.responseCode : null
  if (status === 535) return 'SMTP 535: the mail server refuses the user or the password'
  return typeof status === 'number' ? `SMTP ${status}` : (codeOf(error) ?? 'failed')
}
