import { isIPv4 } from 'node:net'
import { relative, resolve } from 'node:path'
import { isInBucket } from './backup-place.ts'
import { hostPort } from './network-types.ts'
import type { ListenAddress } from './network-types.ts'
import { titleOf } from './table.ts'
import type { Config, SettingName } from './table.ts'

/**
 * Problems between settings that are valid alone. `config` has only those that could be read; `given`: whether one is
 * set.
 */
export function checkTogether(
  config: Partial<Config>,
  given: (name: SettingName) => boolean,
): { readonly problems: readonly string[]; readonly warnings: readonly string[] } {
  return {
    problems: [halfOfTls(config), samePort(config)].filter((sentence) => sentence !== null),
    warnings: [openListen(config), openAdmin(config), backupInside(config), ...backupWithout(config, given)].filter(
      (sentence) => sentence !== null,
    ),
  }
}

type SettingRule = (config: Partial<Config>) => string | null

const halfOfTls: SettingRule = ({ tlsCert, tlsKey }) => {
  // Undefined: it could not be read, and its own problem says enough.
  if (tlsCert === undefined || tlsKey === undefined || (tlsCert === null) === (tlsKey === null)) return null
  const [there, missing] = tlsKey === null ? (['tlsCert', 'tlsKey'] as const) : (['tlsKey', 'tlsCert'] as const)
  return `${titleOf(missing)} is missing: ${titleOf(there)} is of no use without it.`
}

const samePort: SettingRule = ({ listen, adminListen }) => {
  if (listen === undefined || adminListen === undefined || listen.port === 0) return null
  if (listen.port !== adminListen.port) return null
  if (listen.host !== adminListen.host && !covers(listen, adminListen) && !covers(adminListen, listen)) return null
  return `${titleOf('adminListen')}: ${hostPort(adminListen)} and ${titleOf('listen')} ${hostPort(listen)} are the same port: choose two.`
}

/** Whether a socket on all of a machine's addresses takes the other's too. */
function covers({ host }: ListenAddress, other: ListenAddress): boolean {
  return host === '::' || (host === '0.0.0.0' && (isIPv4(other.host) || other.host === 'localhost'))
}

const openListen: SettingRule = ({ listen, tlsCert, trustedProxies }) => {
  if (listen === undefined || isLoopback(listen) || tlsCert !== null || trustedProxies !== null) return null
  return `${titleOf('listen')}: without TLS, secrets that come to ${hostPort(listen)} from other machines travel in the clear. Put a proxy with TLS in front and name it in --trusted-proxies, or set --tls-cert and --tls-key.`
}

const openAdmin: SettingRule = ({ adminListen }) => {
  if (adminListen === undefined || isLoopback(adminListen)) return null
  return `${titleOf('adminListen')}: ${hostPort(adminListen)} is open to other machines without TLS: passwords can be read on the way. Put a proxy in front, or keep strangers out by a firewall.`
}

const backupInside: SettingRule = ({ data, backup }) => {
  if (data === undefined || backup === undefined || backup === null || isInBucket(backup)) return null
  const between = relative(resolve(data), resolve(backup))
  if (between === '..' || between.startsWith('../')) return null
  return `${titleOf('backup')}: ${backup} is inside the data directory ${data}: what takes the one takes the other.`
}

function backupWithout({ backup }: Partial<Config>, given: (name: SettingName) => boolean): readonly string[] {
  if (backup !== null) return []
  return (['backupEvery', 'backupKeep', 'backupVerify'] as const)
    .filter(given)
    .map((name) => `${titleOf(name)} does nothing without ${titleOf('backup')}: no backups are made.`)
}

function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
