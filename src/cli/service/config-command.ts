import { bucketAccess } from '../../backup/bucket-access.ts'
import { trustedAuthorities } from '../../doctor/machine/settings-check.ts'
import { readTlsFiles } from '../../http/tls-files.ts'
import { isInBucket } from '../../settings/backup-place.ts'
import { inspectSettings } from '../../settings/parse.ts'
import type { Config, FoundSetting, InspectedSettings } from '../../settings/parse.ts'
import { flagOf, titleOf, variableOf } from '../../settings/table.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { done, failed } from '../command.ts'
import type { CommandContext, RunCommand } from '../command.ts'
import { tableText } from '../terminal/table-text.ts'

/** The settings of `serve` with this command line and environment, also if some are invalid. Exit codes as of `serve`. */
export const run: RunCommand = async ({ flags, problems }, context) => {
  const { env, readFile, stdout, stderr } = context
  const inspected = inspectSettings(flags, env, readFile, problems, (config) => environmentProblems(config, context))
  const ofFiles = await fileProblems(inspected.config, context)
  const all = { ...inspected, problems: [...inspected.problems, ...ofFiles] }
  stdout(flags.has('json') ? configJson(all) : configText(inspected.settings))
  for (const warning of inspected.warnings) stderr(`bellhop: ${escapeControls(warning)}\n`)
  if (inspected.problems.length > 0) return { kind: 'problems', problems: all.problems }
  for (const sentence of ofFiles) stderr(`bellhop: ${escapeControls(sentence)}\n`)
  return ofFiles.length > 0 ? failed('') : done('')
}

/** Of variables that are no settings: only another environment helps. */
export function environmentProblems(
  { backup }: Partial<Config>,
  { env, readFile }: Pick<CommandContext, 'env' | 'readFile'>,
): readonly string[] {
  const access = typeof backup === 'string' && isInBucket(backup) ? bucketAccess(env, readFile) : null
  return [
    ...(['0', 'false'].includes(env['NODE_TLS_REJECT_UNAUTHORIZED'] ?? '')
      ? [
          "NODE_TLS_REJECT_UNAUTHORIZED lets anyone impersonate Apple or Google: unset it. Use --gateway-ca for a private gateway's certificate.",
        ]
      : []),
    ...(access?.kind === 'problem' ? [`${titleOf('backup')}: ${access.problem}`] : []),
  ]
}

/** Of files that settings name, which may be there at the next start. */
async function fileProblems(
  { tlsCert, tlsKey, gatewayCa }: Partial<Config>,
  { readFile }: Pick<CommandContext, 'readFile'>,
): Promise<readonly string[]> {
  const isTls = typeof tlsCert === 'string' && typeof tlsKey === 'string'
  const read = [
    isTls ? readTlsFiles({ certificate: tlsCert, key: tlsKey }, readFile) : null,
    await trustedAuthorities(gatewayCa ?? null),
  ]
  return read.flatMap((one) => (typeof one === 'object' && one?.kind === 'problem' ? [one.problem] : []))
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
