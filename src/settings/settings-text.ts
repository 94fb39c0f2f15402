import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from './table.ts'

export interface SettingRow {
  /** `--admin-listen` */
  readonly flag: string
  /** `BELLHOP_ADMIN_LISTEN` */
  readonly env: string
  /** The variable that may name a file instead; `null`: not a secret. */
  readonly envFile: string | null
  /** `''`: the flag takes no value. */
  readonly placeholder: string
  readonly list: boolean
  /** `null`: none. */
  readonly default: string | null
  readonly doc: string
}

export function describeSettings(): readonly SettingRow[] {
  return SETTING_NAMES.map((name) => ({
    flag: `--${flagOf(name)}`,
    env: variableOf(name),
    envFile: SETTINGS[name].secret === true ? `${variableOf(name)}_FILE` : null,
    placeholder: SETTINGS[name].type.placeholder,
    list: SETTINGS[name].type.flag === 'list',
    default: SETTINGS[name].default,
    doc: SETTINGS[name].doc,
  }))
}

export function settingsTable(): string {
  const rows = describeSettings().map(({ flag, env, envFile, default: standard, doc }) => {
    const variables = envFile === null ? `\`${env}\`` : `\`${env}\`, \`${envFile}\``
    return `| \`${flag}\` | ${variables} | ${standard === null ? 'none' : `\`${standard}\``} | ${doc} |`
  })
  return ['| Flag | Variable | Default | Meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}
