import { readFlags } from './flags.ts'
import type { LogLevel } from './log.ts'
import { suggestion } from './nearest.ts'
import type { ReadFile } from './read-file.ts'
import {
  address,
  choice,
  duration,
  headerNames,
  httpProxy,
  httpsOrigin,
  httpsUrl,
  integer,
  networks,
  onOff,
  path,
  sealingKey,
} from './setting-type.ts'
import type { Address, ProxyAddress, SettingType } from './setting-type.ts'

/** What an operator can set. What each means, its unit and its default stand in `SETTINGS`. */
export interface Config {
  readonly listen: Address
  readonly adminListen: Address
  readonly data: string
  readonly apnsUrl: string
  readonly apnsSandboxUrl: string
  readonly fcmUrl: string
  readonly fcmTokenUrl: string
  /** `null`: what the system trusts, and nothing else. */
  readonly gatewayCa: string | null
  /** `null`: straight to the gateways. */
  readonly proxy: ProxyAddress | null
  readonly transport: 'fetch' | 'http2-wrapper'
  /** 32 bytes in base64 or hex. `null`: the file `key` in the data directory. */
  readonly key: string | null
  readonly logLevel: LogLevel
  readonly drainSeconds: number
  readonly maxInFlight: number
  readonly webhookPrivate: boolean
  readonly compat: boolean
  /** In upper case. `null`: only the headers of the contract. */
  readonly headerPrefix: readonly string[] | null
  /** PEM files. Both `null`: plain HTTP, for a proxy in front. */
  readonly tlsCert: string | null
  readonly tlsKey: string | null
  /** Addresses and networks. `null`: nobody's word is taken for whom a call is from. */
  readonly trustedProxies: readonly string[] | null
  /** A directory, or `s3://bucket/prefix`. `null`: none are made. */
  readonly backup: string | null
  readonly backupEvery: number
  readonly backupKeep: number
}

type Name = keyof Config
type Environment = Readonly<Record<string, string | undefined>>

interface Setting<Value> {
  readonly doc: string
  readonly type: SettingType<NonNullable<Value>>
  readonly default: null extends Value ? null : string
  /** Never quoted in a message; `BELLHOP_…_FILE` may name a file that holds it. */
  readonly secret?: true
}

/** `adminListen` is `--admin-listen` and BELLHOP_ADMIN_LISTEN; a flag goes before the environment. */
const SETTINGS: { readonly [Key in Name]: Setting<Config[Key]> } = {
  listen: {
    doc: 'Where the API listens. Port 0 picks a free one.',
    type: address,
    default: '127.0.0.1:8790',
  },
  adminListen: {
    doc: 'Where the admin side listens, apart from the API: `/readyz`, `/healthz`, `/pushes/<id>`.',
    type: address,
    default: '127.0.0.1:8791',
  },
  data: {
    doc: 'The directory of the database. It is created where there is none.',
    type: path,
    default: './bellhop-data',
  },
  apnsUrl: {
    doc: 'The origin of APNs, production.',
    type: httpsOrigin,
    default: 'https://api.push.apple.com',
  },
  apnsSandboxUrl: {
    doc: 'The origin of APNs, sandbox.',
    type: httpsOrigin,
    default: 'https://api.sandbox.push.apple.com',
  },
  fcmUrl: {
    doc: 'The origin of FCM.',
    type: httpsOrigin,
    default: 'https://fcm.googleapis.com',
  },
  fcmTokenUrl: {
    doc: 'Where access tokens for FCM are fetched: the whole address.',
    type: httpsUrl,
    default: 'https://oauth2.googleapis.com/token',
  },
  gatewayCa: {
    doc: 'A PEM file of certificates to trust besides those of the system, for private gateways and webhooks.',
    type: path,
    default: null,
  },
  proxy: {
    doc: 'An HTTP proxy to reach the gateways through, by CONNECT: `http://user:password@host:port`. The built-in simulator is reached without it.',
    type: httpProxy,
    default: null,
    secret: true,
  },
  transport: {
    doc: 'What sends to the gateways: Bun’s own client, which moves to the other one by itself where it does not get through, or always http2-wrapper, which is slower. With a proxy it is http2-wrapper.',
    type: choice('fetch', 'http2-wrapper'),
    default: 'fetch',
  },
  key: {
    doc: 'The key that seals stored credentials: 32 bytes in base64 or hex. Without it, the file `key` in the data directory, made on first use.',
    type: sealingKey,
    default: null,
    secret: true,
  },
  logLevel: {
    doc: 'The least serious log lines that are written.',
    type: choice('debug', 'info', 'warn', 'error'),
    default: 'info',
  },
  drainSeconds: {
    doc: 'How long a stop waits for calls and sends in flight, in seconds.',
    type: integer(0, 3600),
    default: '30',
  },
  maxInFlight: {
    doc: 'Requests in flight to the gateways, all together.',
    // The highest that Bun takes for BUN_CONFIG_MAX_HTTP_REQUESTS.
    type: integer(1, 65_535),
    default: '4096',
  },
  webhookPrivate: {
    doc: 'Webhooks may also go to addresses that are not of the internet: loopback, private, link-local and such. The variable takes `on` or `off`.',
    type: onOff,
    default: 'off',
  },
  compat: {
    doc: 'Answers as clients of the original service expect. The variable takes `on` or `off`.',
    type: onOff,
    default: 'off',
  },
  headerPrefix: {
    doc: 'Also reads credentials from `X-NAME-APPID` and `X-NAME-SECRET`. The flag may be given again; the variable separates names by commas.',
    type: headerNames,
    default: null,
  },
  tlsCert: {
    doc: 'A PEM file with the certificate of the API and its chain, where no proxy stands in front. Read again when it changes.',
    type: path,
    default: null,
  },
  tlsKey: {
    doc: 'A PEM file with its private key.',
    type: path,
    default: null,
  },
  trustedProxies: {
    doc: 'Proxies whose `X-Forwarded-For` says whom a call is from: addresses or networks. The flag may be given again; the variable separates them by commas.',
    type: networks,
    default: null,
  },
  backup: {
    doc: 'Where `serve` puts backups: a directory, or `s3://bucket/prefix`.',
    type: path,
    default: null,
  },
  backupEvery: {
    doc: 'The time between two backups: `30m`, `24h`, `7d`.',
    type: duration(60_000),
    default: '24h',
  },
  backupKeep: {
    doc: 'How many backups are kept there; older ones are erased.',
    type: integer(1, 10_000),
    default: '7',
  },
}

// Object.keys forgets the names; the type of SETTINGS has exactly these.
const NAMES = Object.keys(SETTINGS) as Name[]

/** Variables that are not settings but that the commands read. */
const OTHER_VARIABLES = ['BELLHOP_CERTIFICATE_PASSWORD', 'BELLHOP_CERTIFICATE_PASSWORD_FILE']

interface Sources {
  /** By flag name, without dashes. */
  readonly flags: ReadonlyMap<string, string>
  readonly env: Environment
  readonly readFile: ReadFile
  /** Settings that have no flag in this place. */
  readonly withoutFlag?: readonly Name[]
}

export type Problems = { readonly kind: 'problems'; readonly problems: readonly string[] }

/** The settings of `serve`: from its flags, then the environment, then the defaults. Reports all problems together. */
export function parseConfig(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): ({ readonly kind: 'config'; readonly config: Config } | Problems) & { readonly warnings: readonly string[] } {
  const flagsOf = (form: 'switch' | 'list' | undefined) =>
    NAMES.filter((name) => SETTINGS[name].type.flag === form).map(kebab)
  const flags = readFlags(argv, { valued: flagsOf(undefined), lists: flagsOf('list'), switches: flagsOf('switch') })
  const settings = readSettings(NAMES, { flags: flags.values, env, readFile })
  // What follows an unknown flag may be its value: a complaint about that too would only confuse.
  const words = flags.problems.length > 0 ? [] : flags.words
  const problems = [
    ...flags.problems,
    ...words.map((word) => `"${word}" is too much: serve takes only flags.`),
    ...(settings.kind === 'problems' ? settings.problems : []),
  ]
  const warnings = unknownVariables(env)
  if (settings.kind === 'config' && problems.length === 0) return { ...settings, warnings }
  return { kind: 'problems', problems, warnings }
}

/** Some of the settings, for commands that need no more. */
export function readSettings<Wanted extends Name>(
  names: readonly Wanted[],
  sources: Sources,
): { readonly kind: 'config'; readonly config: Pick<Config, Wanted> } | Problems {
  const values: Partial<Record<Name, unknown>> = {}
  const problems: string[] = []
  for (const name of names) {
    const found = readSetting(name, sources)
    if ('problem' in found) problems.push(found.problem)
    else values[name] = found.value
  }
  if (problems.length > 0) return { kind: 'problems', problems }
  // Each came from its own setting's type, which SETTINGS ties to Config.
  return { kind: 'config', config: values as Pick<Config, Wanted> }
}

export interface SettingRow {
  /** `--admin-listen` */
  readonly flag: string
  /** `BELLHOP_ADMIN_LISTEN` */
  readonly env: string
  /** The variable that may name a file instead; `null` for what is no secret. */
  readonly envFile: string | null
  /** `''`: the flag takes no value. */
  readonly placeholder: string
  /** `null`: none. */
  readonly default: string | null
  readonly doc: string
}

export function describeSettings(): readonly SettingRow[] {
  return NAMES.map((name) => ({
    flag: `--${kebab(name)}`,
    env: variable(name),
    envFile: SETTINGS[name].secret === true ? `${variable(name)}_FILE` : null,
    placeholder: SETTINGS[name].type.placeholder,
    default: SETTINGS[name].default,
    doc: SETTINGS[name].doc,
  }))
}

/** The README's table of settings, in Markdown. */
export function settingsTable(): string {
  const rows = describeSettings().map(({ flag, env, envFile, default: standard, doc }) => {
    const variables = envFile === null ? `\`${env}\`` : `\`${env}\`, \`${envFile}\``
    return `| \`${flag}\` | ${variables} | ${standard === null ? 'none' : `\`${standard}\``} | ${doc} |`
  })
  return ['| Flag | Variable | Default | Meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}

type Found = { readonly value: unknown } | { readonly problem: string }

function readSetting(name: Name, { flags, env, readFile, withoutFlag = [] }: Sources): Found {
  const { type, secret = false, default: standard } = SETTINGS[name]
  const title = withoutFlag.includes(name) ? variable(name) : `--${kebab(name)} (${variable(name)})`

  function valueOf(text: string): Found {
    const value = type.read(text)
    if (value !== undefined) return { value }
    const shown = secret ? 'the value' : `"${type.wrongPart?.(text) ?? text}"`
    return { problem: `${title}: ${shown} is not ${type.expected}` }
  }

  const flag = flags.get(kebab(name))
  if (flag !== undefined) return valueOf(flag)
  const text = secret ? readSecret(variable(name), env, readFile) : { value: env[variable(name)] }
  if ('problem' in text) return { problem: `${title}: ${text.problem}` }
  // A variable set to nothing is one that a service file left empty.
  if (text.value !== undefined && text.value !== '') return valueOf(text.value)
  return standard === null ? { value: null } : valueOf(standard)
}

/** The variable `name`, or the contents of the file that `name`_FILE names, without the line's end. */
export function readSecret(
  name: string,
  env: Environment,
  readFile: ReadFile,
): { readonly value: string | undefined } | { readonly problem: string } {
  const text = env[name] ?? ''
  const file = env[`${name}_FILE`] ?? ''
  if (file === '') return { value: text === '' ? undefined : text }
  if (text !== '') return { problem: `${name} and ${name}_FILE are both set; keep one` }
  const read = readFile(file)
  if (read.kind === 'problem') return { problem: `the file ${file} of ${name}_FILE ${read.problem}` }
  return { value: new TextDecoder().decode(read.bytes).replace(/\r?\n$/, '') }
}

function unknownVariables(env: Environment): readonly string[] {
  const rows = describeSettings()
  const known = [...rows.flatMap((row) => [row.env, row.envFile ?? row.env]), ...OTHER_VARIABLES]
  return Object.keys(env)
    .filter((name) => name.startsWith('BELLHOP_') && !known.includes(name))
    .toSorted()
    .map((name) => `${name} is not a setting and is ignored.${suggestion(name, known)}`)
}

function kebab(name: Name): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function variable(name: Name): string {
  return `BELLHOP_${kebab(name).replaceAll('-', '_').toUpperCase()}`
}
