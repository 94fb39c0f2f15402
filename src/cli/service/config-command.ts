import { inspectSettings } from '../../settings/parse.ts'
import type { FoundSetting, InspectedSettings } from '../../settings/parse.ts'
import { flagOf, variableOf } from '../../settings/table.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { tableText } from '../terminal/table-text.ts'

/** The settings of `serve` with this command line and environment, also if some are invalid. */
export const run: RunCommand = async ({ flags, problems }, { env, readFile, stdout, stderr }) => {
  const inspected = inspectSettings(flags, env, readFile, problems)
  stdout(flags.has('json') ? configJson(inspected) : configText(inspected.settings))
  for (const warning of inspected.warnings) stderr(`bellhop: ${escapeControls(warning)}\n`)
  return inspected.problems.length === 0 ? done('') : { kind: 'problems', problems: inspected.problems }
}

function configText(settings: readonly FoundSetting[]): string {
  const rows = settings.map(({ name, source, found }) => [
    `--${flagOf(name)}`,
    found.kind === 'problem' ? 'wrong' : (found.shown ?? 'none'),
    sourceText(name, source),
  ])
  return `${tableText([['SETTING', 'VALUE', 'FROM'], ...rows]).join('\n')}\n`
}

/** Invalid and unset values are `null`. */
function configJson({ settings, problems, warnings }: InspectedSettings): string {
  const shown = settings.map(({ name, source, found }) => ({
    flag: `--${flagOf(name)}`,
    variable: variableOf(name),
    value: found.kind === 'problem' ? null : found.shown,
    source: source.kind,
    ...(source.kind === 'file' && { file: source.file }),
    ...(found.kind === 'problem' && { problem: found.problem }),
  }))
  return jsonLine({ settings: shown, problems, warnings })
}

function sourceText(name: FoundSetting['name'], source: FoundSetting['source']): string {
  switch (source.kind) {
    case 'default':
      return 'default'
    case 'flag':
      return 'flag'
    case 'variable':
      return variableOf(name)
    case 'file':
      return `the file ${source.file} of ${source.variable}`
  }
}
