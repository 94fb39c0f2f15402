import { isAbsolute, normalize, relative } from 'node:path'
import { repositoryPlaceIn } from '../../backup/destination.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { isInBucket } from '../../settings/backup-place.ts'
import { parseConfig } from '../../settings/parse.ts'
import type { Config } from '../../settings/parse.ts'
import { describeSettings } from '../../settings/settings-text.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { unitsText, unitText } from './systemd-unit.ts'
import type { Replication, Unit } from './systemd-unit.ts'

const INSTALLED = '/usr/local/bin/bellhop'

const STATE = '/var/lib'

/** Hidden from the service (ProtectHome=, PrivateTmp=). */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']

/** The service won't have this environment, so it is ignored. */
export const run: RunCommand = async ({ flags }, { readFile, stderr }) => {
  const serving = new Map([['data', `${STATE}/bellhop`], ...flags])
  const parsed = parseConfig(commandLine(serving), {}, readFile)
  if (parsed.kind === 'problems') return parsed
  const { config } = parsed
  const user = flags.get('user') ?? null
  const url = flags.get('litestream')
  const replication = url === undefined ? null : replicationIn(url, config.data)
  const wrong = [...userProblems(user), ...pathProblems(config, user)]
  if (replication?.kind === 'problem') return problems(...wrong, replication.problem)
  if (wrong.length > 0) return problems(...wrong)

  for (const warning of parsed.warnings) stderr(`bellhop: ${warning}\n`)
  const { program, note } = programPath(Bun.isStandaloneExecutable ? process.execPath : null)
  if (note !== null) stderr(`bellhop: ${note}\n`)
  const { tlsCert, tlsKey, listen, adminListen, drainSeconds } = config
  const written = writtenIn(config).map(([, path]) => ({ path, name: stateName(path) }))
  // systemd passes them under other names.
  for (const name of ['tls-cert', 'tls-key']) serving.delete(name)
  const unit: Unit = {
    program,
    user,
    stateDirectories: written.flatMap(({ name }) => (name === null ? [] : [name])),
    writtenPaths: written.flatMap(({ path, name }) => (name === null ? [path] : [])),
    data: config.data,
    flags: commandLine(serving),
    tls: tlsCert === null || tlsKey === null ? null : { certificate: tlsCert, key: tlsKey },
    drainSeconds,
    lowPort: [listen, adminListen].some(({ port }) => port > 0 && port < 1024),
  }
  return done(replication === null ? unitText(unit) : unitsText(unitText(unit), unit, replication))
}

function commandLine(flags: ReadonlyMap<string, string>): readonly string[] {
  return describeSettings().flatMap(({ flag, placeholder }) => {
    const value = flags.get(flag.slice(2))
    if (value === undefined) return []
    return placeholder === '' ? [flag] : [flag, value]
  })
}

/** `program`: the compiled program that runs, or `null`. `note`: what is left to do. */
export function programPath(program: string | null): { readonly program: string; readonly note: string | null } {
  if (program === null) {
    return { program: INSTALLED, note: `This Bellhop runs from source: put the compiled executable at ${INSTALLED}.` }
  }
  if (!HIDDEN.some((directory) => isBelow(directory, program))) return { program, note: null }
  return { program: INSTALLED, note: `The service does not see ${program}: install -m 755 ${program} ${INSTALLED}` }
}

function replicationIn(url: string, data: string): Replication | Problem {
  const place = repositoryPlaceIn(url)
  if (place.kind === 'problem') return problem(`--litestream: ${place.problem}`)
  if (place.kind === 'folder') return problem(`--litestream: "${url}" is not s3://bucket/path.`)
  // Litestream expands variables anywhere in its configuration.
  if (`${url}${data}`.includes('$')) return problem('--litestream: the URL and --data must not contain "$".')
  return { kind: 'replication', bucket: place.bucket, path: place.prefix.replace(/\/+$/, '') }
}

function userProblems(user: string | null): readonly string[] {
  if (user === 'root') return ['--user: the service does not need root: name another user, or omit --user.']
  if (user === 'nobody') return ['--user: other programs also run as nobody: name a dedicated user, or omit --user.']
  // What useradd(8) accepts.
  if (user === null || /^[a-z_][a-z0-9_-]{0,31}$/.test(user)) return []
  return [`--user: "${user}" is not a valid user name, such as bellhop.`]
}

function pathProblems(config: Config, user: string | null): readonly string[] {
  const { tlsCert, tlsKey, gatewayCa } = config
  const read = [['--tls-cert', tlsCert] as const, ['--tls-key', tlsKey] as const, ['--gateway-ca', gatewayCa] as const]
  const all = [...writtenIn(config), ...read.flatMap(([flag, path]) => (path === null ? [] : [[flag, path] as const]))]
  return all.flatMap(([flag, path]) => {
    if (!isAbsolute(path))
      return [`${flag}: "${path}" is not an absolute path: a service does not start in your directory.`]
    const handedOver = flag.startsWith('--tls-')
    const hidden = handedOver ? undefined : HIDDEN.find((directory) => isBelow(directory, path))
    if (hidden !== undefined) return [`${flag}: ${path} is in ${hidden}, which the service does not see.`]
    const needsUser = user === null && !flag.startsWith('--gateway') && !handedOver && stateName(path) === null
    return needsUser ? [`${flag}: ${path} is outside ${STATE}, so it needs a permanent owner: --user NAME.`] : []
  })
}

function writtenIn({ data, backup }: Config): readonly (readonly [flag: string, path: string])[] {
  const toDirectory = backup !== null && !isInBucket(backup)
  return [['--data', data], ...(toDirectory ? [['--backup', backup] as const] : [])]
}

/** `bellhop` of `/var/lib/bellhop`; `null`: elsewhere. */
function stateName(path: string): string | null {
  return isBelow(STATE, path) ? relative(STATE, normalize(path)) : null
}

function isBelow(directory: string, path: string): boolean {
  return normalize(path).startsWith(`${directory}/`)
}
