import type { Provider } from '../gateway/gateway.ts'
import { createCredentialInUse } from './credential.ts'
import { createCurrentRecipients } from './current-recipients.ts'
import { createDispatcher } from './dispatcher.ts'
import type { Dispatcher } from './dispatcher.ts'
import { createLanes } from './lane/lanes.ts'
import type { Lanes } from './lane/lanes.ts'
import { createNotices } from './lane/notices.ts'
import { STRAGGLER_MS } from './open/batch.ts'
import { createOutbox } from './queue/outbox.ts'
import type { SenderContext } from './sender-context.ts'
import type { SenderStats } from './sender-stats.ts'

export type Sender = ReturnType<typeof createSender>

/** Sends everything of one application to one platform. Who can be at fault, and what then waits: manual/faults.md. */
export function createSender(context: SenderContext) {
  const { clock, application, platform, random, outcomes } = context
  const recipients = createCurrentRecipients(context)
  const outbox = createOutbox({
    ...context,
    recipients,
    credential: () => dispatcher.lanes.credential,
    onMore: () => dispatcher.pump(),
  })
  const { loaded } = outbox
  const dispatcher: Dispatcher = createDispatcher(context, outbox, recipients, lanesOf(null, -1))
  let isUsed = false

  function lanesOf(provider: Provider | null, number: number): Lanes {
    const credential = createCredentialInUse(context, number)
    return createLanes({ random, credential, provider, notices: createNotices(context, credential, provider) })
  }

  function standing(): Pick<SenderStats, 'state' | 'reason'> {
    const { trouble, provider } = dispatcher.lanes
    if (provider === null) return { state: 'no-credential', reason: null }
    if (trouble !== null) return { state: trouble.state, reason: trouble.reason }
    // Trouble on the way to the gateway outlasts a pause.
    const reason = provider.trouble ?? null
    return { state: reason === null ? 'ready' : 'unreachable', reason }
  }

  return {
    standing,

    stats(): SenderStats {
      const now = clock.now()
      const { inFlight, movedAt, lanes } = dispatcher
      const { provider } = lanes
      const waiting = loaded.waiting(now)
      const own = standing()
      const open = loaded.all().filter(({ phase }) => phase !== 'over')
      const summaries = open.map((delivery) => delivery.summary(now))
      const since = summaries.flatMap(({ dueSince }) => dueSince ?? []).sort((a, b) => a - b)
      const dueSince = own.state === 'ready' && !dispatcher.isPaused(now) ? (since[0] ?? null) : null
      // A project's quota may be used up.
      const mayMove = inFlight > 0 || provider?.mayTake?.(clock.monotonic()) !== false
      return {
        application,
        platform,
        ...own,
        inFlight,
        open: open.length + waiting.pushes,
        recipients: summaries.reduce((sum, each) => sum + each.recipients, waiting.recipients),
        outcomes,
        connections: provider?.connections ?? 0,
        pausedServices: provider?.isOpen === true ? lanes.paused(now) : [],
        dueSince: dueSince && clock.wallAt(dueSince),
        stillSince: dueSince === null || !mayMove ? null : clock.wallAt(Math.max(dueSince, movedAt)),
      }
    },

    /** Waiting: for time to pass. Done: nothing to send, however much time passes. */
    get activity(): 'sending' | 'waiting' | 'done' {
      if (dispatcher.inFlight > 0 || loaded.size > 0) return 'sending'
      return loaded.expects ? 'waiting' : 'done'
    },

    /** `null` waits for a provider. `credential`: as in `CredentialKey`. */
    use(provider: Provider | null, credential: number): void {
      const lanes = lanesOf(provider, credential)
      dispatcher.use(lanes)
      if (provider !== null) {
        void lanes.credential.begin()
        // It may send what the one before could not.
        if (isUsed) void outbox.makeAllDue()
        isUsed = true
      }
      dispatcher.pump()
    },

    /** A push was stored. `null`: any may have been, and waiting deliveries may have other times. */
    wake(push: number | null): void {
      if (push === null) loaded.forgetTimes()
      for (const { window } of dispatcher.lanes.all) window.endPauseEarly()
      outbox.wake(push)
      dispatcher.pump()
    },

    /** Whether `push.number` is in memory: then `cancel` ends it. */
    holds: (push: number): boolean => loaded.find(push) !== null,

    /** Whether notifications of `push.number` may have arrived whose answers are not on disk. */
    mayHaveReached: (push: number): boolean => (loaded.find(push)?.summary(clock.now()).notWrittenDown ?? 0) > 0,

    cancel(push: number): boolean {
      const delivery = loaded.find(push)
      if (delivery === null) loaded.forgetTimes()
      else outbox.pass(delivery, { kind: 'aborted', reason: 'cancelled', refused: null })
      return delivery !== null
    },

    badgeSet: recipients.badgeSet,

    tick(): void {
      dispatcher.tick()
      dispatcher.lanes.notices.trouble()
      outbox.tick(dispatcher.isPaused(clock.now()))
      dispatcher.pump()
    },

    /** Settles what was sent; resolves when that is on disk. */
    async stop(): Promise<void> {
      const idle = dispatcher.stop()
      // A missing answer must not keep those of its batch from the disk.
      const cancel = clock.after(STRAGGLER_MS, () => outbox.stop())
      await idle
      cancel()
      outbox.stop()
      await outbox.written()
    },

    /** Notifications that were sent and are not on disk, by the push's UUID: the next start sends them again. */
    unwritten(): [push: string, notifications: number][] {
      const now = clock.now()
      const open = loaded.all().filter(({ phase, record }) => phase !== 'aborted' && record.expiresAt > now)
      return open.map((delivery) => [delivery.record.pushId, delivery.summary(now).notWrittenDown])
    },

    close: (): void => dispatcher.close(),

    forget(): void {
      void dispatcher.stop()
      outbox.clear()
      dispatcher.close()
    },
  }
}
