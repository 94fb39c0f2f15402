import { X509Certificate, createPrivateKey } from 'node:crypto'
import { DAY_MS } from '../../clock.ts'
import type { ReadFile } from '../../system/read-file.ts'
import { dayOf } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** `warnings`: what there is to say of settings that are in order. */
export function judgeSettings(warnings: readonly string[], env: Readonly<Record<string, string | undefined>>): Finding {
  // As `serve` says it, which then does not start.
  if (['0', 'false'].includes(env['NODE_TLS_REJECT_UNAUTHORIZED'] ?? '')) {
    return failing(
      'NODE_TLS_REJECT_UNAUTHORIZED is set so that anyone could pose as Apple or Google, and serve does not start.',
      'Unset it: the certificate of a private gateway goes into --gateway-ca.',
    )
  }
  if (warnings.length === 0) return ok('The settings are in order.')
  return warning(warnings.join(' '), 'bellhop config shows each setting, and where it is from.')
}

/** certbot renews 30 days before the end: then something keeps it from that. */
const SOON_MS = 14 * DAY_MS

/** The files of --tls-cert and --tls-key, as they will be read at the next start. `now` is ms since the Unix epoch. */
export function checkTlsFiles(certPath: string, keyPath: string, readFile: ReadFile, now: number): Finding {
  const certFile = readFile(certPath)
  if (certFile.kind === 'problem') return failing(`The file ${certPath} ${certFile.problem}.`, 'Put --tls-cert right.')
  const keyFile = readFile(keyPath)
  if (keyFile.kind === 'problem') return failing(`The file ${keyPath} ${keyFile.problem}.`, 'Put --tls-key right.')

  const certificate = parsed(() => new X509Certificate(Buffer.from(certFile.bytes)))
  if (certificate === null) {
    return failing(`The file ${certPath} holds no PEM certificate.`, 'Put the certificate and its chain there.')
  }
  const key = parsed(() => createPrivateKey(Buffer.from(keyFile.bytes)))
  if (key === null) {
    return failing(`The file ${keyPath} holds no PEM private key without a password.`, 'Put the private key there.')
  }
  if (!certificate.checkPrivateKey(key)) {
    return failing(`The key in ${keyPath} is not that of the certificate in ${certPath}.`, 'Put the two together.')
  }
  const end = certificate.validToDate.getTime()
  const day = dayOf(end)
  if (now >= end) return failing(`The certificate in ${certPath} expired on ${day}.`, 'Renew it.')
  if (now < certificate.validFromDate.getTime()) {
    return failing(
      `The certificate in ${certPath} is not valid before ${dayOf(certificate.validFromDate.getTime())}.`,
      'Set the clock of this machine, or wait.',
    )
  }
  if (end - now < SOON_MS) {
    return warning(
      `The certificate in ${certPath} expires on ${day}.`,
      'Renew it; the file is read again when it changes.',
    )
  }
  return ok(`The certificate in ${certPath} is good until ${day}.`)
}

function parsed<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch {
    // Whatever OpenSSL finds wrong, the operator can only give another file.
    return null
  }
}
