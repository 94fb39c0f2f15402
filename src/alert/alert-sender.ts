import { HOUR_MS, SECOND_MS, within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import type { Log } from '../log.ts'
import type { Alert, AlertCondition } from './alert.ts'
import { ConditionWatch, learned, newsIn } from './alert-book.ts'
import type { Knowledge } from './alert-book.ts'
import { alertMessage, testMessage } from './alert-message.ts'
import type { AlertMessage } from './alert-message.ts'
import type { AlertStore } from './alert-store.ts'
import type { SendAlert, Told } from './send-alert.ts'

const LOOK_MS = 15 * SECOND_MS

/** First wait after a failure; doubles up to an hour, and never gives up. */
const RETRY_MS = 30 * SECOND_MS
const LONGEST_RETRY_MS = HOUR_MS

/** A hanging disk must not hold up the message about it. */
const WRITE_MS = 2 * SECOND_MS

interface Dependencies {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly commit: Commit
  readonly alerts: AlertStore
  readonly send: SendAlert
  readonly look: () => Promise<readonly AlertCondition[]>
  /** Name of this service, for people. */
  readonly instance: string
}

interface Receiver {
  failures: number
  /** Monotonic ms. */
  dueAt: number
}

export type AlertSender = ReturnType<typeof startAlertSender>

/**
 * Tells alerts about conditions that begin and end. The database is updated before and after each try, so a restart
 * repeats at most the message in flight, with the same ID. While a receiver fails, only the difference to what it knows
 * is kept: it gets at most one message of each kind. Messages are sent even if the database is not writable, since that
 * may be the problem.
 */
export function startAlertSender({ clock, log, commit, alerts, send, look, instance }: Dependencies) {
  const watch = new ConditionWatch()
  /** By `Alert.number`, then `about`. */
  const known = new Map<number, Map<string, Knowledge>>()
  const receivers = new Map<number, Receiver>()
  /** Pending writes, by alert and `about`. */
  const unwritten = new Map<string, { readonly one: Knowledge; readonly isGone: boolean }>()
  const ending = new AbortController()
  const open = new Set<Promise<unknown>>()
  let isResumed = false
  let cancel = clock.after(LOOK_MS, tick)

  const moment = () => ({ now: clock.now(), monotonic: clock.monotonic() })
  const knownTo = (number: number): Map<string, Knowledge> => known.getOrInsertComputed(number, () => new Map())

  function tick(): void {
    const turned = turn().catch((error: unknown) =>
      log.error('alerts could not be looked at', { error: String(error) }),
    )
    open.add(turned)
    void turned.finally(() => {
      open.delete(turned)
      if (!ending.signal.aborted) cancel = clock.after(LOOK_MS, tick)
    })
  }

  async function turn(): Promise<void> {
    const all = alerts.list()
    if (!isResumed) resume()
    for (const number of known.keys()) if (!all.some((one) => one.number === number)) known.delete(number)
    // Without alerts, an idle service stays idle.
    if (all.length === 0) return
    const seen = await look()
    const holding = watch.look(seen, moment())
    for (const alert of all) {
      for (const one of learned(alert, knownTo(alert.number), holding, clock.now())) put(one)
    }
    await write()
    await Promise.all(all.map((alert) => tell(alert)))
  }

  function resume(): void {
    for (const one of alerts.knowledge()) {
      knownTo(one.alert).set(one.about, one)
      if (one.endedAt === null) watch.resume(one, moment())
    }
    isResumed = true
  }

  function put(one: Knowledge, isGone = false): void {
    const own = knownTo(one.alert)
    if (isGone) own.delete(one.about)
    else own.set(one.about, one)
    unwritten.set(`${one.alert} ${one.about}`, { one, isGone })
  }

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    const writing = [...unwritten]
    const written = commit(() => {
      for (const [, { one, isGone }] of writing) {
        if (isGone) alerts.forget(one)
        else alerts.learn(one)
      }
    }).then(
      () => true,
      () => false,
    )
    if (!(await within(clock, WRITE_MS, written, false))) return log.warn('what alerts were told is not stored yet')
    for (const [key, change] of writing) if (unwritten.get(key) === change) unwritten.delete(key)
  }

  /** Sends everything the alert does not know, unless it has to wait after a failure. */
  async function tell(alert: Alert): Promise<void> {
    const receiver = receivers.getOrInsertComputed(alert.number, () => ({ failures: 0, dueAt: 0 }))
    if (clock.monotonic() < receiver.dueAt) return
    for (const news of newsIn(knownTo(alert.number).values())) {
      if (ending.signal.aborted) return
      const { problem, retryAfterMs } = await attempt(alert, alertMessage(news, instance, clock.now()))
      if (problem !== null) return putOff(receiver, retryAfterMs)
      receiver.failures = 0
      for (const one of news.conditions) {
        // If it has changed since, the next message reports it.
        if (knownTo(alert.number).get(one.about) === one) put({ ...one, told: true }, one.endedAt !== null)
      }
      await write()
    }
  }

  function putOff(receiver: Receiver, askedMs: number | null): void {
    const waitMs = Math.min(RETRY_MS * 2 ** receiver.failures++, LONGEST_RETRY_MS)
    receiver.dueAt = clock.monotonic() + Math.max(waitMs, Math.min(askedMs ?? 0, LONGEST_RETRY_MS))
  }

  async function attempt(alert: Alert, message: AlertMessage): Promise<Told> {
    const target = alerts.targetOf(alert)
    const told =
      target === null
        ? { problem: 'its URL does not open: it was sealed with another key', retryAfterMs: null }
        : await send(alert.channel, target, message, clock.now(), ending.signal)
    const { problem } = told
    if (ending.signal.aborted && problem !== null) return told
    if (problem === null) log.info('an alert was sent', { alert: alert.name, title: message.title })
    else log.warn('an alert could not be sent; trying again', { alert: alert.name, title: message.title, problem })
    // Only for display: the next try notes it again.
    await within(clock, WRITE_MS, commit(() => alerts.note(alert, problem)).catch(noted), undefined)
    return told
  }

  const noted = (error: unknown) => log.warn('how an alert went is not stored', { error: String(error) })

  return {
    /** Sends a test message. Returns why it was refused, or `null`. */
    async test(alert: Alert): Promise<string | null> {
      const message = testMessage(alert.name, Bun.randomUUIDv7('hex', clock.now()), instance, clock.now())
      const { problem } = await attempt(alert, message)
      const receiver = receivers.get(alert.number)
      if (problem === null && receiver !== undefined) receiver.dueAt = 0
      return problem
    },

    /** Aborts tries in flight; the next process repeats them. */
    async stop(): Promise<void> {
      ending.abort()
      cancel()
      await within(clock, WRITE_MS, Promise.all(open), undefined)
    },
  }
}
