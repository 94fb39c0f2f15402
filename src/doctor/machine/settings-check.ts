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
