import { problem } from '../../failure.ts'
import { readConfig } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import type { RunCommand } from '../command.ts'

export const run: RunCommand = async ({ flags, problems }, context) => {
  const { env, readFile, stderr, serve } = context
  const settings = readConfig(flags, env, readFile, problems)
  for (const warning of settings.warnings) stderr(`bellhop: ${escapeControls(warning)}\n`)
  if (settings.kind === 'problems') return settings
  if (['0', 'false'].includes(env['NODE_TLS_REJECT_UNAUTHORIZED'] ?? '')) {
    return problem(
      "NODE_TLS_REJECT_UNAUTHORIZED lets anyone impersonate Apple or Google: unset it. Use --gateway-ca for a private gateway's certificate.",
    )
  }
  return { kind: 'served', exitCode: await serve(settings.config) }
}
