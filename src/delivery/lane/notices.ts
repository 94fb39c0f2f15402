import { MINUTE_MS } from '../../clock.ts'
import type { Provider } from '../../gateway/gateway.ts'
import type { CredentialInUse } from '../credential.ts'
import type { WallClock } from '../../time/service-clock.ts'
import type { SenderContext } from '../sender-context.ts'
import type { Trouble } from '../verdict.ts'

type Context = Pick<SenderContext, 'application' | 'platform' | 'log' | 'persist' | 'events'> & {
  readonly clock: WallClock
}

export type Notices = ReturnType<typeof createNotices>

/** Reports pauses of one credential, their ends, and trouble on the way: to the log, and as events. */
export function createNotices(
  { application, platform, log, persist, events, clock }: Context,
  credential: Pick<CredentialInUse, 'isGood'>,
  provider: Pick<Provider, 'trouble'> | null,
) {
  /** Whether anything was accepted since the last pause event; `false` at the start. */
  let isAccepting = false
  let isTroubled = false
  /** Origins whose last pause belongs to a trouble that is already logged. */
  const troubled = new Set<string>()
  /** By origin and state, when a pause was last a warning: trouble causes one pause after another. */
  const warnedAt = new Map<string, number>()
  const refusing = new Set<string>()

  function trouble(): boolean {
    const reason = provider?.trouble ?? null
    if ((reason !== null) !== isTroubled) {
      isTroubled = reason !== null
      if (isTroubled) log.warn('trouble with the gateway', { reason })
      else log.info('the gateway works again')
    }
    return isTroubled
  }

  return {
    trouble,

    /** `waitMs`: `null` if nothing pauses, and nobody else is left to send to. */
    paused(origin: string, { state, reason }: Trouble, waitMs: number | null, now: number): void {
      const isKnown = waitMs !== null && trouble()
      if (isKnown) troubled.add(origin)
      else troubled.delete(origin)
      const key = `${origin} ${state}`
      const isRepeated = now - (warnedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS
      if (!isKnown && !isRepeated) warnedAt.set(key, now)
      const fields = { origin, state, reason, ...(waitMs !== null && { waitMs }) }
      const isOfDevices = waitMs === null && state === 'unreachable'
      log[isKnown || isRepeated ? 'debug' : 'warn'](isOfDevices ? 'not accepted yet' : 'sending paused', fields)
      if (state !== 'misconfigured') return
      refusing.add(origin)
      isAccepting = false
      void persist(() => events.credentialPaused(application, platform, reason, clock.wallAt(now)))
    },

    succeeded(origin: string, isNews: boolean, now: number): void {
      if (isNews) log[troubled.delete(origin) ? 'debug' : 'info']('sending again', { origin })
      if (isAccepting || !credential.isGood) return
      refusing.delete(origin)
      // A credential that one push service refuses, another may accept.
      if (refusing.size > 0) return
      isAccepting = true
      // Also at the first success after a start: the event of a pause before it is on disk.
      void persist(() => events.credentialResumed(application, platform, clock.wallAt(now)))
    },
  }
}
