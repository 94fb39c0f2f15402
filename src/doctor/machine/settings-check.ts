import { readTlsFiles, SOON_MS } from '../../http/tls-files.ts'
import { problem, StartRefused } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { authoritiesIn } from '../../gateway/transport/authorities.ts'
import type { ReadFile } from '../../system/read-file.ts'
import { dayOf } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export function judgeSettings(warnings: readonly string[], env: Readonly<Record<string, string | undefined>>): Finding {
  // `serve` refuses to start with it.
  if (['0', 'false'].includes(env['NODE_TLS_REJECT_UNAUTHORIZED'] ?? '')) {
    return failing(
      'NODE_TLS_REJECT_UNAUTHORIZED lets anyone impersonate Apple or Google, so serve does not start.',
      "Unset it. Use --gateway-ca for a private gateway's certificate.",
    )
  }
  if (warnings.length === 0) return ok('The settings are valid.')
  return warning(warnings.join(' '), 'bellhop config shows each setting and its source.')
}

/** PEM of --gateway-ca; `undefined`: use the system's. */
export async function trustedAuthorities(gatewayCa: string | null): Promise<string | undefined | Problem> {
  try {
    return await authoritiesIn(gatewayCa)
  } catch (error) {
    if (error instanceof StartRefused) return problem(error.message)
    throw error
  }
}

/** As `serve` reads the files at its next start. */
export function checkTlsFiles(certificate: string, key: string, readFile: ReadFile, now: number): Finding {
  const read = readTlsFiles({ certificate, key }, readFile)
  if (read.kind === 'problem') return failing(read.problem, 'Fix the files: serve does not start.')
  const { validFrom, validTo } = read
  const day = dayOf(validTo)
  if (now >= validTo) return failing(`The certificate in ${certificate} expired on ${day}.`, 'Renew it.')
  if (now < validFrom) {
    return failing(
      `The certificate in ${certificate} is not valid before ${dayOf(validFrom)}.`,
      'Set the clock of this machine, or wait.',
    )
  }
  if (validTo - now < SOON_MS) {
    return warning(
      `The certificate in ${certificate} expires on ${day}.`,
      'Renew it; the file is read again when it changes.',
    )
  }
  return ok(`The certificate in ${certificate} is valid until ${day}.`)
}
