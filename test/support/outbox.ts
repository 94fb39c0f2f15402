import { createCurrentRecipients } from '../../src/delivery/current-recipients.ts'
import { createOutbox } from '../../src/delivery/queue/outbox.ts'
import type { OutboxDependencies } from '../../src/delivery/queue/outbox.ts'
import type { Task } from '../../src/delivery/open/delivery.ts'
import type { DeliveryEvents, DeviceRegistry } from '../../src/delivery/sender-context.ts'
import { createSendBudget } from '../../src/delivery/send-budget.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { DeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { FinalVerdict } from '../../src/delivery/verdict.ts'
import { createLog } from '../../src/log.ts'
import type { openRegistry } from './registry.ts'

type Registry = ReturnType<typeof openRegistry>

export const ACCEPTED: FinalVerdict = { kind: 'accepted', credential: null }

/** For what tells nobody of what becomes of devices, and of deliveries. */
export const REGISTRY: DeviceRegistry = { apply: () => {}, giveBack: () => false, changeBadges: () => new Map() }
export const EVENTS: DeliveryEvents = {
  pushFinished: () => {},
  credentialPaused: () => {},
  credentialResumed: () => {},
}

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** What the first application has to send to iOS: all that a sender has, but no gateway. Writes at once. */
export function openOutbox(registry: Registry, overrides: Partial<OutboxDependencies> = {}) {
  const { database, clock, devices } = registry
  const store: DeliveryStore = overrides.store ?? createDeliveryStore(registry)
  const events: string[] = []
  let writes = 0
  const log = createLog(
    'debug',
    clock.now,
    (event) => events.push(event),
    ({ event }) => event,
  )
  const outbox = createOutbox({
    application: 1,
    platform: 0,
    clock,
    log,
    store,
    recipients: createCurrentRecipients({ log, store, registry: { ...devices, apply: () => {} } }),
    lastOnDisk: () => Number.MAX_SAFE_INTEGER,
    mayLoad: () => true,
    async persist(operation) {
      writes++
      return database.transact(operation as () => never)
    },
    registry: REGISTRY,
    events: EVENTS,
    random: () => 0.5,
    sendBudget: createSendBudget(),
    share: () => 1000,
    latency: { observe: () => {} },
    credential: () => ({ number: 0, isGood: true }),
    onMore: () => {},
    outcomes: { accepted: 0, gone: 0, rejected: 0, deferred: 0, misconfigured: 0, expired: 0 },
    ...overrides,
  })

  /** Resolves when nothing is written or counted any more. */
  async function quiet(): Promise<void> {
    for (let before = -1; before !== writes;) {
      before = writes
      // An audience is counted in the second turn.
      await nextTurn()
      await nextTurn()
    }
    await outbox.written()
  }

  return {
    outbox,
    /** Events of the log. */
    events,
    quiet,

    /** Takes up to `count` recipients; waits for those whose badges are being changed. */
    async take(count: number): Promise<Task[]> {
      const tasks: Task[] = []
      while (tasks.length < count) {
        const task = outbox.take(clock.now(), null)
        if (task !== null) {
          task.delivery.sent()
          tasks.push(task)
        } else if (outbox.isSearching) await nextTurn()
        else break
      }
      return tasks
    },

    /** The gateway has answered, for each of them the same. */
    answer(tasks: readonly Task[], verdict: FinalVerdict = ACCEPTED): void {
      for (const task of tasks) {
        const outcome =
          verdict.kind === 'accepted'
            ? ({ kind: 'accepted' } as const)
            : ({ kind: 'deferred', afterMs: null, scope: 'device', reason: verdict.reason } as const)
        outbox.pass(task.delivery, { kind: 'answered', task, outcome, verdict, finding: null })
      }
    },
  }
}
