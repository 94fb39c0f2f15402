import type { Application } from '../../application/application.ts'
import type { CredentialStore } from '../../application/credential-store.ts'
import { DAY_MS, MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import type { FeedbackStore } from '../../device/feedback-store.ts'
import { judgeCertificate, judgeCredentials } from '../../doctor/applications/credential-check.ts'
import { judgeWebhook } from '../../doctor/applications/queue-check.ts'
import type { Finding } from '../../doctor/finding.ts'
import type { ApplicationCounts } from '../../monitoring/background-count.ts'
import type { CountStore } from '../../monitoring/count-store.ts'
import type { Readiness } from '../../monitoring/readiness.ts'
import type { PushSummaryStore } from '../../push/status/push-summary-store.ts'
import type { Day } from '../../stats/tally-store.ts'
import { dayOf } from '../../text/format.ts'
import { VERSION } from '../../version.ts'
import type { WebhookList } from '../../webhook/webhook-store.ts'
import type { AttentionPoint, OverviewAnswer, OverviewDay, OverviewDevices } from '../api-types/overview-types.ts'
import type { PushView } from './push-view.ts'
import { PLATFORM, PLATFORMS } from '../../platform.ts'

const LATEST = 5
const SOONEST = 5

/** Counting losses may read many rows. */
const LOSSES_AGE_MS = MINUTE_MS

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly applications: () => readonly Application[]
  readonly daily: { days(application: number, first: number, last: number): readonly Day[] }
  readonly feedback: Pick<FeedbackStore, 'countByDay'>
  /** New devices by day (days since the Unix epoch), starting at `first`. */
  readonly registered: (first: number) => ReadonlyMap<number, number>
  readonly counts: () => Promise<ApplicationCounts>
  readonly store: Pick<CountStore, 'sizes'>
  readonly readiness: () => Promise<Readiness>
  readonly credentials: Pick<CredentialStore, 'summaries'>
  readonly webhooks: Pick<WebhookList, 'all'>
  readonly summaries: Pick<PushSummaryStore, 'newest' | 'soonest'>
  readonly pushes: Pick<PushView, 'one'>
}

/** `days`: including today. Counts nothing that grows with the registry. */
export function createOverview(deps: Dependencies): (days: number) => Promise<OverviewAnswer> {
  const { clock, daily, feedback, credentials, summaries } = deps
  let losses: { readonly at: number; readonly first: number; readonly byDay: ReadonlyMap<number, number> } | null = null

  function lossesSince(first: number): ReadonlyMap<number, number> {
    const now = clock.now()
    if (losses !== null && losses.first <= first && Math.abs(now - losses.at) < LOSSES_AGE_MS) return losses.byDay
    const byDay = new Map<number, number>()
    for (const { number } of deps.applications()) {
      for (const { day, count } of feedback.countByDay(number, first * DAY_MS)) {
        byDay.set(day, (byDay.get(day) ?? 0) + count)
      }
    }
    losses = { at: now, first, byDay }
    return byDay
  }

  function lastDays(count: number): readonly OverviewDay[] {
    const last = Math.floor(clock.now() / DAY_MS)
    const first = last - count + 1
    const lost = lossesSince(first)
    const registered = deps.registered(first)
    const counted = Math.min(...registered.keys())
    const sums = Array.from({ length: count }, (_, at) => {
      const day = first + at
      return emptyDay(day, registered.get(day) ?? (day > counted ? 0 : null), lost.get(day) ?? 0)
    })
    for (const { number } of deps.applications()) {
      for (const { day, t, s, o, received } of daily.days(number, first, last)) {
        const sum = sums[day - first]
        if (sum === undefined) continue
        sum.addressed += t
        sum.accepted += s
        sum.opened += o
        sum.received += received
      }
    }
    return sums
  }

  function devicesOf({ devices, left, whole }: ApplicationCounts): OverviewDevices {
    const on = (platform: Platform) =>
      devices.reduce((sum, each) => sum + (each.platform === platform ? each.count : 0), 0)
    const stored = deps.store.sizes().reduce((sum, each) => sum + each.devices, 0)
    const byPlatform = PLATFORMS.map((platform) => [PLATFORM[platform].label, on(platform)] as const)
    const registered = byPlatform.reduce((sum, [, count]) => sum + count, 0)
    const isCounted = devices.length > 0 || stored === 0
    return {
      total: stored,
      byPlatform: Object.fromEntries(byPlatform) as OverviewDevices['byPlatform'],
      byState: { registered, ...left },
      isWhole: whole && isCounted,
    }
  }

  async function attention(counts: ApplicationCounts): Promise<readonly AttentionPoint[]> {
    const { reasons, warnings } = await deps.readiness()
    const now = clock.now()
    const webhooks = new Map(deps.webhooks.all().map((webhook) => [webhook.application, webhook]))
    const ofApplications = deps.applications().flatMap((application) => {
      const { number, id, name } = application
      const stored = credentials.summaries(application)
      const devices = counts.devices
        .filter((each) => each.application === number)
        .map(({ platform, count }) => ({ platform, registered: count }))
      const certificate = stored.find((one) => one.provider === 'apns' && one.kind === 'certificate')
      const webhook = webhooks.get(number)
      const findings = [
        judgeCredentials(
          application,
          stored.map(({ provider }) => provider),
          devices,
        ),
        ...(certificate !== undefined && 'expiresAt' in certificate
          ? [judgeCertificate(certificate.expiresAt, now, id)]
          : []),
        ...(webhook === undefined ? [] : [judgeWebhook(webhook, id)]),
      ]
      return findings.flatMap((finding) => pointOf(finding, { id, name }))
    })
    const found: readonly AttentionPoint[] = [
      ...reasons.map((text) => ({ level: 'error', text, fix: null, application: null }) as const),
      ...ofApplications,
      ...warnings.map((text) => ({ level: 'warning', text, fix: null, application: null }) as const),
    ]
    return found.toSorted((a, b) => RANK[a.level] - RANK[b.level])
  }

  return async (days) => {
    const counts = await deps.counts()
    const names = new Map(deps.applications().map((application) => [application.number, application]))
    const shown = (named: ReturnType<PushSummaryStore['newest']>): OverviewAnswer['pushes'] =>
      named.flatMap(({ id, application }) => {
        const of = names.get(application)
        const summary = of === undefined ? null : deps.pushes.one(application, id)
        return of === undefined || summary === null ? [] : [{ ...summary, application: { id: of.id, name: of.name } }]
      })
    return {
      version: VERSION,
      days: lastDays(days),
      devices: devicesOf(counts),
      attention: await attention(counts),
      scheduled: shown(summaries.soonest(SOONEST)),
      pushes: shown(summaries.newest(LATEST)),
    }
  }
}

const RANK = { error: 0, warning: 1 } as const

/** `day`: days since the Unix epoch, UTC. */
function emptyDay(day: number, registered: number | null, lost: number) {
  return { day: dayOf(day * DAY_MS), addressed: 0, accepted: 0, opened: 0, received: 0, registered, lost }
}

function pointOf({ state, found, advice }: Finding, application: AttentionPoint['application']): AttentionPoint[] {
  if (state !== 'warning' && state !== 'failed') return []
  return [{ level: state === 'failed' ? 'error' : 'warning', text: found, fix: advice, application }]
}
