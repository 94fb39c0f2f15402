import { inspectSettings } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { configJson, configText } from './config-text.ts'

/**
 * What `serve` would run with, given the same command line and environment. Prints the settings also where some of them
 * are wrong, which is then the outcome.
 */
export const run: RunCommand = async ({ flags, problems }, { env, readFile, stdout, stderr }) => {
  const inspected = inspectSettings('config', { values: flags, words: [], problems }, env, readFile)
  stdout(flags.has('json') ? configJson(inspected) : configText(inspected.settings))
  for (const warning of inspected.warnings) stderr(`bellhop: ${escapeControls(warning)}\n`)
  return inspected.problems.length === 0 ? done('') : { kind: 'problems', problems: inspected.problems }
}
