import { isIP } from 'node:net'
import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { addressesOf } from '../network/lookup.ts'
import { isPublic } from '../network/special-networks.ts'
import { codeOf } from '../text/error-code.ts'
import { refusal } from '../webhook/address-guard.ts'
import type { MailRoute } from './alert.ts'
import type { AlertMessage } from './alert-message.ts'

/** One try. Resolves to why the server refused the mail, or `null`. */
export type SendMail = (
  route: MailRoute,
  password: string | null,
  message: Pick<AlertMessage, 'id' | 'title' | 'text'>,
) => Promise<string | null>

interface Options {
  readonly clock: Pick<Clock, 'after'>
  /** PEM. `undefined`: use the system's. */
  readonly ca: string | undefined
  /** Allow servers outside the public internet; these may lack TLS. */
  readonly allowPrivate: boolean
  /** Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 20_000

/** Resolves the name once and connects to a checked address, like webhooks (`post.ts`). */
export function createSendMail({ clock, ca, allowPrivate, resolve = addressesOf }: Options): SendMail {
  const send: SendMail = async ({ host, port, secure, user, from, to }, password, { id, title, text }) => {
    const addresses = await resolve(host)
    const refused = refusal(new URL('smtp://mail'), addresses, allowPrivate)
    if (refused !== null) return refused
    // Loaded with the first mail.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      host: addresses[0] ?? host,
      port,
      secure,
      requireTLS: addresses.some(isPublic),
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      // SNI takes no addresses (RFC 6066, 3); the certificate must still match.
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

/** Leaves out the server's text, which may quote the user. */
function reasonOf(error: unknown): string {
  const status = error instanceof Error && 'responseCode' in error ? error.responseCode : null
  if (status === 535) return 'SMTP 535: the mail server refuses the user or the password'
  return typeof status === 'number' ? `SMTP ${status}` : (codeOf(error) ?? 'failed')
}
