import type { ReadFile } from '../system/read-file.ts'
import { suggestion } from '../text/nearest.ts'
import { readFlags } from './flags.ts'
import type { FlagNames, Flags } from './flags.ts'
import { checkTogether } from './setting-rules.ts'
import { SETTINGS, SETTING_NAMES, flagOf, titleOf, variableOf } from './table.ts'
import type { Config, SettingName } from './table.ts'

export type { Config } from './table.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Not settings, but read by commands. */
const OTHER_VARIABLES = ['BELLHOP_CERTIFICATE_PASSWORD', 'BELLHOP_CERTIFICATE_PASSWORD_FILE']

const LISTEN = '--listen HOST:PORT'
const DATA = '--data PATH'

export const SETTING_FLAGS: Required<FlagNames> = {
  elsewhere: {
    port: LISTEN,
    host: LISTEN,
    bind: LISTEN,
    addr: LISTEN,
    dir: DATA,
    'data-dir': DATA,
    db: DATA,
    'admin-port': '--admin-listen HOST:PORT',
    debug: '--log-level debug',
    verbose: '--log-level debug',
    cert: '--tls-cert PATH',
  },
  valued: SETTING_NAMES.filter((name) => SETTINGS[name].type.flag === undefined).map(flagOf),
  lists: SETTING_NAMES.filter((name) => SETTINGS[name].type.flag === 'list').map(flagOf),
  switches: SETTING_NAMES.filter((name) => SETTINGS[name].type.flag === 'switch').map(flagOf),
}

interface Sources {
  readonly flags: ReadonlyMap<string, string>
  readonly env: EnvironmentVariables
  readonly readFile: ReadFile
  /** Settings that have no flag in this command. */
  readonly withoutFlag?: readonly SettingName[]
}

export type Problems = { readonly kind: 'problems'; readonly problems: readonly string[] }

export interface FoundSetting {
  readonly name: SettingName
  readonly source:
    | { readonly kind: 'default' | 'flag' | 'variable' }
    | { readonly kind: 'file'; readonly variable: string; readonly file: string }
  readonly found: Value | SettingProblem
}

interface Value {
  readonly kind: 'value'
  readonly value: unknown
  /** For display: hides secrets; `null`: no value. */
  readonly shown: string | null
}

type SettingProblem = { readonly kind: 'problem'; readonly problem: string }

export interface InspectedSettings {
  readonly settings: readonly FoundSetting[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Those that could be read. */
  readonly config: Partial<Config>
}

/** The settings of `serve`: from its flags, then the environment, then the defaults. Reports all problems together. */
export function parseConfig(argv: readonly string[], env: EnvironmentVariables, readFile: ReadFile): ReadConfig {
  const { values, problems } = readFlags(argv, SETTING_FLAGS)
  return readConfig(values, env, readFile, problems)
}

type ReadConfig = ({ readonly kind: 'config'; readonly config: Config } | Problems) & {
  readonly warnings: readonly string[]
}

export function readConfig(...from: Parameters<typeof inspectSettings>): ReadConfig {
  const { problems, warnings, config } = inspectSettings(...from)
  if (problems.length > 0) return { kind: 'problems', problems, warnings }
  // Each was read by its own setting's type, which SETTINGS ties to Config.
  return { kind: 'config', config: config as Config, warnings }
}

/** `problems`: those of the flags. `more` finds others. */
export function inspectSettings(
  flags: Flags['values'],
  env: EnvironmentVariables,
  readFile: ReadFile,
  problems: readonly string[] = [],
  more: (config: Partial<Config>) => readonly string[] = () => [],
): InspectedSettings {
  const settings = SETTING_NAMES.map((name) => readSetting(name, { flags, env, readFile }))
  const config = valuesOf(settings)
  const together = checkTogether(config, (name) =>
    settings.some((setting) => setting.name === name && setting.source.kind !== 'default'),
  )
  return {
    settings,
    problems: [...problems, ...problemsOf(settings), ...together.problems, ...more(config)],
    warnings: [...unknownVariables(env), ...secretFlags(settings), ...together.warnings],
    config,
  }
}

export function readSettings<Wanted extends SettingName>(
  names: readonly Wanted[],
  sources: Sources,
): { readonly kind: 'config'; readonly config: Pick<Config, Wanted> } | Problems {
  const settings = names.map((name) => readSetting(name, sources))
  const problems = problemsOf(settings)
  if (problems.length > 0) return { kind: 'problems', problems }
  // As in readConfig.
  return { kind: 'config', config: valuesOf(settings) as Pick<Config, Wanted> }
}

function valuesOf(settings: readonly FoundSetting[]): Partial<Config> {
  return Object.fromEntries(
    settings.flatMap(({ name, found }) => (found.kind === 'value' ? [[name, found.value]] : [])),
  )
}

function problemsOf(settings: readonly FoundSetting[]): readonly string[] {
  return settings.flatMap(({ found }) => (found.kind === 'problem' ? [found.problem] : []))
}

function readSetting(name: SettingName, { flags, env, readFile, withoutFlag = [] }: Sources): FoundSetting {
  const { type, secret = false, default: standard } = SETTINGS[name]
  const variable = variableOf(name)
  const title = withoutFlag.includes(name) ? variable : titleOf(name)

  function read(text: string): FoundSetting['found'] {
    const value = type.read(text)
    if (value !== undefined) {
      // It was read by this very type.
      const shown = type.show?.(value as never) ?? (secret ? 'set, not shown' : text)
      return { kind: 'value', value, shown }
    }
    return { kind: 'problem', problem: wrongValue(name, title, text) }
  }

  const flag = flags.get(flagOf(name))
  if (flag !== undefined) return { name, source: { kind: 'flag' }, found: read(flag) }
  const file = secret ? (env[`${variable}_FILE`] ?? '') : ''
  const source =
    file === '' ? { kind: 'variable' as const } : { kind: 'file' as const, variable: `${variable}_FILE`, file }
  const given = secret ? readSecret(variable, env, readFile) : { value: env[variable] }
  if ('problem' in given) return { name, source, found: { kind: 'problem', problem: `${title}: ${given.problem}` } }
  // Empty variables are those that a service file left empty.
  if (given.value !== undefined && given.value !== '') return { name, source, found: read(given.value) }
  const credential = secret ? readCredential(`bellhop-${flagOf(name)}`, env, readFile) : null
  if (credential !== null) {
    const source = { kind: 'file' as const, variable: 'CREDENTIALS_DIRECTORY', file: credential.file }
    if ('value' in credential) return { name, source, found: read(credential.value) }
    const problem = `${title}: the file ${credential.file} ${credential.problem}`
    return { name, source, found: { kind: 'problem', problem } }
  }
  const found = standard === null ? { kind: 'value' as const, value: null, shown: null } : read(standard)
  return { name, source: { kind: 'default' }, found }
}

function wrongValue(name: SettingName, title: string, text: string): string {
  const { type, secret = false } = SETTINGS[name]
  const subject = secret ? 'the value' : `"${type.wrongPart?.(text) ?? text}"`
  return `${title}: ${subject} is not ${type.expected}`
}

/** Why a flag's value is invalid; `null`: it is valid. */
export function settingProblem(name: SettingName, text: string): string | null {
  return SETTINGS[name].type.read(text) === undefined ? wrongValue(name, titleOf(name), text) : null
}

/** The variable `name`, or the contents of the file that `name`_FILE names, without the final line break. */
export function readSecret(
  name: string,
  env: EnvironmentVariables,
  readFile: ReadFile,
): { readonly value: string | undefined } | { readonly problem: string } {
  const text = env[name] ?? ''
  const file = env[`${name}_FILE`] ?? ''
  if (file === '') return { value: text === '' ? undefined : text }
  if (text !== '') return { problem: `${name} and ${name}_FILE are both set; keep one` }
  const read = readFile(file)
  if (read.kind === 'problem') return { problem: `the file ${file} of ${name}_FILE ${read.problem}` }
  const value = new TextDecoder().decode(read.bytes).replace(/\r?\n$/, '')
  // As no secret, it would silently be replaced by a default.
  return value === '' ? { problem: `the file ${file} of ${name}_FILE is empty` } : { value }
}

/** A credential that systemd gives to this service (systemd.exec, "LoadCredential="); `null`: there is none. */
function readCredential(
  name: string,
  env: EnvironmentVariables,
  readFile: ReadFile,
): { readonly file: string; readonly value: string } | { readonly file: string; readonly problem: string } | null {
  const directory = env['CREDENTIALS_DIRECTORY'] ?? ''
  if (directory === '') return null
  const file = `${directory}/${name}`
  const read = readFile(file)
  if (read.kind === 'read') return { file, value: new TextDecoder().decode(read.bytes).trim() }
  return read.missing === true ? null : { file, problem: read.problem }
}

function unknownVariables(env: EnvironmentVariables): readonly string[] {
  const own = SETTING_NAMES.flatMap((name) => {
    const variable = variableOf(name)
    return SETTINGS[name].secret === true ? [variable, `${variable}_FILE`] : [variable]
  })
  const known = [...own, ...OTHER_VARIABLES]
  return Object.keys(env)
    .filter((name) => name.startsWith('BELLHOP_') && !known.includes(name))
    .toSorted()
    .map((name) => `${name} is not a setting and is ignored.${suggestion(name, known)}`)
}

function secretFlags(settings: readonly FoundSetting[]): readonly string[] {
  return settings
    .filter(({ name, source }) => SETTINGS[name].secret === true && source.kind === 'flag')
    .map(
      ({ name }) =>
        `--${flagOf(name)} on a command line is seen by everybody on this machine (ps); ${variableOf(name)}_FILE may name a file that contains it.`,
    )
}
