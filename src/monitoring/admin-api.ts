import { Elysia } from 'elysia'
import type { SenderStats } from '../delivery/sender-stats.ts'
import type { DeliveryStatus } from '../delivery/store/delivery-store.ts'
import { failure } from '../failure.ts'
import { ANSWER_HEADERS, failures, noSuchPath, refuse, UNAVAILABLE } from '../http/failures.ts'
import { readHeadAsGet } from '../http/gate.ts'
import { pathOf } from '../http/path-table.ts'
import type { Log } from '../log.ts'
import { VERSION } from '../version.ts'
import { CONTENT_TYPE } from './exposition.ts'
import type { Inbox } from './inbox.ts'
import { hostRefusalOf } from './own-names.ts'
import type { CheckReadiness } from './readiness-check.ts'
import type { NameOf } from './tally.ts'

/** How old a write may be that /readyz takes for good: it is asked often, and a service at rest should not write each time. */
const PROBE_AGE_MS = 5000

interface Dependencies {
  readonly log: Log
  /** Host names that the listener answers to, in lower case, beside localhost and any address. */
  readonly names: ReadonlySet<string>
  readonly readiness: CheckReadiness
  readonly senders: () => readonly SenderStats[]
  readonly nameOf: NameOf
  /** One entry for each platform of a push; none where there is no such push. */
  readonly statusOf: (pushId: string) => readonly DeliveryStatus[]
  /** Origins of gateways that a credential reaches by the second transport only. */
  readonly moved: () => readonly string[]
  readonly inbox: Inbox
  /** The text of `/metrics`. */
  readonly scrape: () => Promise<string>
}

/** The admin listener, apart from the public one: whether the service is fit to serve, and how far a push is. */
export function createAdminApi({
  log,
  names,
  readiness,
  senders,
  nameOf,
  statusOf,
  moved,
  inbox,
  scrape,
}: Dependencies) {
  /** What an open delivery is doing: sending, or why its recipients wait. */
  function openState({ application, platform, t, s, failed }: DeliveryStatus) {
    const sender = senders().find((one) => one.application === application && one.platform === platform)
    if (sender === undefined || sender.state === 'ready' || t <= s + failed) return { state: 'sending', reason: null }
    return { state: sender.state, reason: sender.reason }
  }

  function shown(delivery: DeliveryStatus) {
    const { platform, t, s, failed, waiting, finishedAt } = delivery
    const now = finishedAt === null ? openState(delivery) : { state: 'finished', reason: null }
    return { platform, t, s, failed, waiting, ...now }
  }

  return new Elysia({ name: 'admin', strictPath: true })
    .use(failures(log))
    .onRequest(({ request, set }) => {
      readHeadAsGet(request)
      set.headers['x-request-id'] = Bun.randomUUIDv7()
      Object.assign(set.headers, ANSWER_HEADERS)
      const refusal = hostRefusalOf(request.headers, names)
      return refusal === null ? undefined : refuse(refusal)
    })
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
      const deliveries = statusOf(id)
      if (deliveries.length === 0) return refuse(failure('ResourceNotFound', 'No push found'))
      return {
        id,
        deliveries: deliveries.map(shown),
      }
    })
    .get('/simulator/received', ({ query: { after } }) => inbox(/^\d{1,15}$/.test(after ?? '') ? Number(after) : 0))
    .all('*', ({ request }) => refuse(noSuchPath(pathOf(request.url))))
}
