import { problem } from '../../failure.ts'
import { readConfig } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import type { RunCommand } from '../command.ts'
import { startVariables } from './start-variables.ts'

/** Starts the service with its settings, in a process that has what Bun reads at its start. */
export const run: RunCommand = async ({ flags, problems }, context) => {
  const { env, readFile, stderr, serve, restart } = context
  const warn = (warnings: readonly string[]) =>
    warnings.forEach((warning) => stderr(`bellhop: ${escapeControls(warning)}\n`))
  const settings = readConfig({ values: flags, words: [], problems }, env, readFile)
  if (settings.kind === 'problems') {
    warn(settings.warnings)
    return settings
  }
  if (['0', 'false'].includes(env['NODE_TLS_REJECT_UNAUTHORIZED'] ?? '')) {
    return problem(
      'NODE_TLS_REJECT_UNAUTHORIZED is set so that anyone could pose as Apple or Google: unset it. The certificate of a private gateway goes into --gateway-ca.',
    )
  }
  const cap = startVariables(settings.config.maxInFlight, env, Bun.isStandaloneExecutable)
  if (cap.kind === 'restart') return restart(cap.variables)
  // After the restart, so that they are said once.
  warn([...settings.warnings, ...(cap.warning === null ? [] : [cap.warning])])
  return { kind: 'served', exitCode: await serve({ ...settings.config, maxInFlight: cap.maxInFlight }) }
}
