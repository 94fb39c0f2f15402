import { readFlags } from '../../settings/flags.ts'
import { SETTING_FLAGS, inspectSettings } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { CommandOutcome, CommandContext } from '../command.ts'
import { configJson, configText } from './config-text.ts'

/**
 * What `serve` would run with, given the same command line and environment. Prints the settings also where some of them
 * are wrong, which is then the outcome. `argv` is without `config`.
 */
export function runConfig(
  argv: readonly string[],
  { env, readFile, stdout, stderr }: Pick<CommandContext, 'env' | 'readFile' | 'stdout' | 'stderr'>,
): CommandOutcome {
  const flags = readFlags(argv, { ...SETTING_FLAGS, switches: [...SETTING_FLAGS.switches, 'json'] })
  const inspected = inspectSettings('config', flags, env, readFile)
  stdout(flags.values.has('json') ? configJson(inspected) : configText(inspected.settings))
  for (const warning of inspected.warnings) stderr(`bellhop: ${escapeControls(warning)}\n`)
  return inspected.problems.length === 0 ? done('') : { kind: 'problems', problems: inspected.problems }
}
