import { abortAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { PLATFORM } from '../../platform.ts'
import type { Platform } from '../../device/device.ts'
import type { Inbox } from '../../monitoring/inbox.ts'
import { readSettings } from '../../settings/parse.ts'
import type { Problems } from '../../settings/parse.ts'
import type { CommandContext, ParsedArguments } from '../command.ts'
import { adminOrigin } from './admin-origin.ts'

/**
 * Why nothing of a push, `push.id`, can be sent to a platform now; `null` where it can. `undefined`: no server answers,
 * or one with another database.
 */
export type AskPauses = (push: string) => Promise<ReadonlyMap<Platform, string | null> | undefined>

type Received = ReturnType<Inbox>

/** What arrived at the simulator after arrival number `after`; `undefined`: no server answers. */
export type AskSimulator = (after: number) => Promise<Received | undefined>

/** A pause, and what the simulator got, is in the memory of the server alone. */
export function createAdminClient(
  flags: ParsedArguments['flags'],
  { env, readFile, clock }: Pick<CommandContext, 'env' | 'readFile' | 'clock'>,
): { readonly kind: 'client'; readonly ask: AskPauses; readonly askSimulator: AskSimulator } | Problems {
  const settings = readSettings(['adminListen'], { flags, env, readFile })
  if (settings.kind === 'problems') return settings
  const origin = adminOrigin(settings.config.adminListen)
  return {
    kind: 'client',
    ask: (push) =>
      ask(`${origin}/pushes/${push}`, clock, (answer) => {
        const { deliveries } = answer as AdminAnswer
        return new Map(deliveries.map((delivery) => [delivery.platform, reasonOf(delivery)]))
      }),
    askSimulator: (after) =>
      ask(`${origin}/simulator/received?after=${after}`, clock, (answer) => {
        const { last, received } = answer as Received
        return typeof last === 'number' && Array.isArray(received) ? { last, received } : undefined
      }),
  }
}

/** A server on this machine answers in a millisecond, or is busy. */
const DEADLINE_MS = 500

interface AdminAnswer {
  readonly deliveries: readonly {
    readonly platform: Platform
    readonly state: string
    readonly reason: string | null
  }[]
}

/** The answer, unchecked JSON, as `read` reads it; `undefined`: no answer, or one that it cannot read. */
async function ask<T>(url: string, clock: Clock, read: (answer: unknown) => T): Promise<T | undefined> {
  using deadline = abortAfter(clock, DEADLINE_MS)
  try {
    const response = await fetch(url, { proxy: false, redirect: 'manual', signal: deadline.signal })
    return response.ok ? read(await response.json()) : undefined
  } catch {
    // Whatever it is that answers there, if anything: it knows nothing of this.
    return undefined
  }
}

function reasonOf({ platform, state, reason }: AdminAnswer['deliveries'][number]): string | null {
  if (state === 'sending' || state === 'finished') return null
  return reason ?? `there is no credential for ${PLATFORM[platform].gateway}`
}
