import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { makeCertificate } from './certificate.ts'

export interface Mail {
  readonly text: string
  readonly to: readonly string[]
  readonly user: string | null
  readonly isSecure: boolean
}

/** A mail server that takes mails of `bellhop` with `password`. */
export interface MailServer extends AsyncDisposable {
  readonly port: number
  /** PEM, for mail.test. */
  readonly certificate: string
  readonly mails: readonly Mail[]
}

const CERTIFICATE = makeCertificate({ name: 'mail.test' })

/** `secure`: TLS from the first byte; else STARTTLS, unless it has `noTls`. */
export async function startMailServer({ secure = false, noTls = false } = {}): Promise<MailServer> {
  const mails: Mail[] = []
  const server = new SMTPServer({
    secure,
    cert: CERTIFICATE.certificate,
    key: CERTIFICATE.privateKey,
    authOptional: noTls,
    ...(noTls && { disabledCommands: ['STARTTLS', 'AUTH'] }),
    onAuth({ username, password }, _, answer) {
      if (username === 'bellhop' && password === 'correct horse') answer(null, { user: username })
      else answer(new Error(`Invalid password for ${username}`))
    },
    onData(stream, { envelope, user, secure: isSecure }, taken) {
      const chunks: Uint8Array[] = []
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ text: Buffer.concat(chunks).toString(), to, user: user ?? null, isSecure })
        taken()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    certificate: CERTIFICATE.certificate,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
