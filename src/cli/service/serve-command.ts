import { readConfig } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import type { RunCommand } from '../command.ts'
import { environmentProblems } from './config-command.ts'

export const run: RunCommand = async ({ flags, problems }, context) => {
  const { env, readFile, stderr, serve } = context
  const settings = readConfig(flags, env, readFile, problems, (config) => environmentProblems(config, context))
  for (const warning of settings.warnings) stderr(`bellhop: ${escapeControls(warning)}\n`)
  if (settings.kind === 'problems') return settings
  return { kind: 'served', exitCode: await serve(settings.config) }
}
