import type { AnyElysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import { inNetworks } from '../../http/client-address.ts'
import { listen } from '../../http/listener.ts'
import type { TlsPair } from '../../http/tls-files.ts'
import { followTlsFiles } from '../../http/tls-follower.ts'
import type { Log } from '../../log.ts'
import type { Config } from '../../settings/parse.ts'
import { readSystemFile } from '../../system/read-file.ts'
import { maxOpenFiles, openSocketTable } from '../../system/socket-table.ts'
import type { AnswerElsewhere } from '../move/forwarding.ts'
import { keepConnections } from './connection-keeper.ts'
import type { tlsIn } from '../start/start-checks.ts'

interface Dependencies {
  readonly config: Pick<Config, 'listen' | 'adminListen' | 'hstsDays' | 'trustedProxies'>
  readonly clock: Clock
  readonly log: Log
  readonly api: AnyElysia
  readonly adminApi: () => AnyElysia
  readonly elsewhere: AnswerElsewhere
  /** `null`: plain HTTP. */
  readonly tls: ReturnType<typeof tlsIn>
  readonly open?: typeof listen
  readonly onAnswer: (request: Request, response: Response, ms: number) => void
  readonly onEnded: (connections: number) => void
  readonly opened: AsyncDisposableStack
}

export function openListeners(deps: Dependencies) {
  const { config, clock, log, api, adminApi, elsewhere, tls, open = listen, onAnswer, opened } = deps
  const publicListener = open(() => api, config.listen, log, {
    onAnswer,
    elsewhere,
    tls: tls?.first.pair ?? null,
    hstsDays: config.hstsDays,
    setting: 'listen',
  })
  opened.defer(() => publicListener.abort())
  const use = (pair: TlsPair) => publicListener.renew(pair)
  const tlsFollower = tls && followTlsFiles({ ...tls, readFile: readSystemFile, clock, log, use })
  opened.defer(() => tlsFollower?.stop())
  const adminListener = open(adminApi, config.adminListen, log, { setting: 'adminListen' })
  opened.defer(() => adminListener.abort())
  const keeper = deps.open === undefined ? keeperOf(deps, publicListener.url, adminListener.url) : null
  opened.use(keeper)
  return {
    url: publicListener.url,
    adminUrl: adminListener.url,
    earlyEnds: () => keeper?.earlyEnds() ?? null,
    reload: () => tlsFollower?.look(),
    /** Accepts no more API calls; resolves when the running ones are answered. */
    stop(): Promise<void> {
      // It would listen again.
      tlsFollower?.stop()
      return publicListener.stop()
    },
  }
}

/** `null`: this system doesn't list its sockets. */
function keeperOf({ config, clock, log, onEnded }: Dependencies, url: string, adminUrl: string) {
  const maxFiles = maxOpenFiles()
  const table = maxFiles === null ? null : openSocketTable(maxFiles)
  if (table === null || maxFiles === null) {
    log.warn('the number of connections is not limited on this system')
    return null
  }
  const ports = { api: portOf(url), admin: portOf(adminUrl) }
  const isProxy = config.trustedProxies === null ? () => false : inNetworks(config.trustedProxies)
  return keepConnections({ clock, log, table, maxFiles, ports, isProxy, onEnded })
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
