import { Elysia } from 'elysia'
import type { SenderStats } from '../delivery/sender-stats.ts'
import { failure } from '../failure.ts'
import { refuse, UNAVAILABLE } from '../http/failures.ts'
import type { ProgressStore } from '../push/status/progress-store.ts'
import type { PlatformProgress } from '../push/status/status.ts'
import { VERSION } from '../version.ts'
import { CONTENT_TYPE } from './exposition.ts'
import type { Inbox } from './inbox.ts'
import type { CheckReadiness } from './readiness-check.ts'
import type { NameOf } from './tally.ts'

/** Accepts a write this recent, so that frequent probes of an idle service do not write each time. */
const PROBE_AGE_MS = 5000

interface Dependencies {
  readonly readiness: CheckReadiness
  readonly senders: () => readonly SenderStats[]
  readonly nameOf: NameOf
  readonly progress: Pick<ProgressStore, 'named'>
  /** Origins of gateways that only the second transport reaches. */
  readonly moved: () => readonly string[]
  readonly inbox: Inbox
  readonly scrape: () => Promise<string>
}

export function monitoringRoutes({ readiness, senders, nameOf, progress, moved, inbox, scrape }: Dependencies) {
  function openState(application: number, { platform, t, s, failed }: PlatformProgress) {
    const sender = senders().find((one) => one.application === application && one.platform === platform)
    if (sender === undefined || sender.state === 'ready' || t <= s + failed) return { state: 'sending', reason: null }
    return { state: sender.state, reason: sender.reason }
  }

  function shown(application: number, delivery: PlatformProgress) {
    const { platform, t, s, failed, waiting, open } = delivery
    const now = open ? openState(application, delivery) : { state: 'finished', reason: null }
    return { platform, t, s, failed, waiting, ...now }
  }

  return new Elysia({ name: 'monitoring-routes' })
    .get('/healthz', () => ({ status: 'ok' }))
    .get('/readyz', async ({ status, query }) => {
      const { ready, reasons, warnings, checks } = await readiness('probe' in query ? 0 : PROBE_AGE_MS)
      return status(ready ? 200 : UNAVAILABLE, {
        status: ready ? 'ready' : 'not ready',
        reasons,
        warnings,
        checks,
        version: VERSION,
        database: checks.database === 'ok' ? 'ok' : 'cannot be written',
        paused: senders()
          .filter(({ state, recipients }) => state !== 'ready' && recipients > 0)
          .map(({ application, platform, state, reason, open }) => ({
            application: nameOf(application),
            platform,
            state,
            reason,
            open,
          })),
        onSecondTransport: moved(),
      })
    })
    .get('/metrics', async ({ set }) => {
      set.headers['content-type'] = CONTENT_TYPE
      return scrape()
    })
    .get('/pushes/:id', ({ params: { id } }) => {
      const push = progress.named(id)
      // A scheduled push has no deliveries yet.
      if (push === null || push.platforms.length === 0) return refuse(failure('ResourceNotFound', 'No push found'))
      return { id, deliveries: push.platforms.map((delivery) => shown(push.application, delivery)) }
    })
    .get('/simulator/received', ({ query: { after } }) => inbox(/^\d{1,15}$/.test(after ?? '') ? Number(after) : 0))
}
