import { rootCertificates } from 'node:tls'
import { hasCredentials } from './application/credential-store.ts'
import { loadSealingKey } from './application/sealing-key.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import { openDatabase } from './database/database.ts'
import type { Database } from './database/database.ts'
import { NewerDatabase } from './database/migrations.ts'
import { proxyProblem } from './delivery/transport/choose-transport.ts'
import type { Proxy } from './delivery/transport/tunnel.ts'
import type { Log } from './log.ts'
import { StartRefused } from './start-refused.ts'

/* What can keep the service from starting and is the operator's to change: each throws `StartRefused`. */

/** Throws where a newer Bellhop has written it. */
export function databaseIn(directory: string): Database {
  try {
    return openDatabase(directory)
  } catch (error) {
    if (error instanceof NewerDatabase) throw new StartRefused(error.message)
    throw error
  }
}

/** The key that opens the stored credentials, or a new one where there are none. */
export function sealingKeyOf({ data, key }: Config, database: Database): Uint8Array {
  const loaded = loadSealingKey({
    dataDirectory: data,
    ...(key !== null && { text: key }),
    hasCredentials: hasCredentials(database),
  })
  if (loaded.kind === 'problem') throw new StartRefused(loaded.problem)
  return loaded.key
}

/** A proxy that wants other credentials stays useless; one that is only away may come back while we serve. */
export async function tryProxy(proxy: Proxy, origin: string, clock: Clock, log: Log): Promise<void> {
  const problem = await proxyProblem(proxy, origin, clock)
  if (problem === null) return
  if (problem === 'proxy: 407') {
    throw new StartRefused('--proxy (BELLHOP_PROXY): the proxy refuses its user and password (407).')
  }
  log.warn('the proxy makes no tunnel', { reason: problem, to: origin })
}

/** The operator's certificates besides the system's: a `ca` of its own would replace those. */
export async function authoritiesIn(path: string | null): Promise<string | undefined> {
  if (path === null) return undefined
  const file = Bun.file(path)
  if (!(await file.exists())) throw new StartRefused(`--gateway-ca (BELLHOP_GATEWAY_CA): there is no file ${path}.`)
  const pem = await file.text()
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new StartRefused(`--gateway-ca (BELLHOP_GATEWAY_CA): ${path} holds no PEM certificate.`)
  }
  return [pem, ...rootCertificates].join('\n')
}
