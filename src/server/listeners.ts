import type { AnyElysia } from 'elysia'
import type { Clock } from '../clock.ts'
import { listen } from '../http/listener.ts'
import type { TlsPair } from '../http/tls-files.ts'
import { followTlsFiles } from '../http/tls-follower.ts'
import type { Log } from '../log.ts'
import type { Config } from '../settings/parse.ts'
import { readSystemFile } from '../system/read-file.ts'
import type { tlsIn } from './start-checks.ts'

interface Dependencies {
  readonly config: Pick<Config, 'listen' | 'adminListen' | 'hstsDays'>
  readonly clock: Clock
  readonly log: Log
  readonly api: AnyElysia
  readonly adminApi: () => AnyElysia
  /** `null`: the API speaks plain HTTP. */
  readonly tls: ReturnType<typeof tlsIn>
  /** Takes calls. Default: on sockets. */
  readonly open?: typeof listen
  /** Hears of every answer of the API, and how long that took. */
  readonly onAnswer: (request: Request, response: Response, ms: number) => void
  /** Closes what is opened here, in reverse. */
  readonly opened: AsyncDisposableStack
}

/** Where calls come in: of the API, with its certificate as that is renewed, and of the admin side. */
export function openListeners(deps: Dependencies) {
  const { config, clock, log, api, adminApi, tls, open = listen, onAnswer, opened } = deps
  const publicListener = open(() => api, config.listen, log, {
    onAnswer,
    tls: tls?.first.pair ?? null,
    hstsDays: config.hstsDays,
  })
  opened.defer(() => publicListener.abort())
  const use = (pair: TlsPair) => publicListener.renew(pair)
  const tlsFollower = tls && followTlsFiles({ ...tls, readFile: readSystemFile, clock, log, use })
  opened.defer(() => tlsFollower?.stop())
  const adminListener = open(adminApi, config.adminListen, log)
  opened.defer(() => adminListener.abort())
  return {
    url: publicListener.url,
    adminUrl: adminListener.url,
    /** Looks at the files of TLS now, not only within a minute. */
    reload: () => tlsFollower?.look(),
    /** Takes no more calls of the API; resolves when those under way are answered. */
    stop(): Promise<void> {
      // It would listen again.
      tlsFollower?.stop()
      return publicListener.stop()
    },
  }
}
