import { conversationOf } from './conversation.ts'
import { diceOf } from './dice.ts'
import type { KnownCall } from './message.ts'
import { talk } from './talk.ts'
import type { Outcome } from './talk.ts'

/** A server with calls that it accepts. */
export interface Side {
  readonly url: string
  readonly calls: readonly KnownCall[]
}

interface Attack {
  /** Equally likely. */
  readonly sides: readonly [Side, ...Side[]]
  readonly seed: number
  /** The first turn. A turn of a seed is always the same conversation. Default 0. */
  readonly from?: number
  /** Concurrent conversations. */
  readonly atOnce: number
  readonly goesOn: (turn: number) => boolean
}

interface Spoil {
  readonly turns: number
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Violations, with the turn that shows them. */
  readonly findings: readonly string[]
}

/**
 * Not ready, full or used up, as documented; and 505 for anything but HTTP/1, which Bun answers itself (RFC 9110,
 * 15.6.6).
 */
const ALLOWED = new Set([503, 505, 507])

/**
 * A slower client is owed no answer, in ms: the service gives up after 12 s for a head. On a busy machine a fast client
 * may be this slow.
 */
const PATIENCE_MS = 5000

/** Runs conversations, `atOnce` at a time. */
export async function attack({ sides, seed, from = 0, atOnce, goesOn }: Attack): Promise<Spoil> {
  const statuses = new Map<number, number>()
  const findings: string[] = []
  let turn = from

  function judge(at: number, owed: number | null, { statuses: seen, received, spokenMs }: Outcome): void {
    for (const status of seen) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500 && !ALLOWED.has(status)) findings.push(`turn ${at}: ${status} ${excerpt(received, status)}`)
    }
    if (owed === null || spokenMs > PATIENCE_MS) return
    if (seen.length < owed) findings.push(`turn ${at}: nothing wrong was said, and no answer came`)
  }

  async function work(): Promise<void> {
    for (let at = turn++; goesOn(at); at = turn++) {
      const dice = diceOf(seed, at)
      const { url, calls } = sides[dice.whole(0, sides.length - 1)] ?? sides[0]
      const conversation = conversationOf(dice, calls)
      judge(at, conversation.owed, await talk(url, conversation))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { turns: turn - atOnce - from, statuses, findings }
}

function excerpt(received: string, status: number): string {
  const at = received.indexOf(` ${status} `)
  return JSON.stringify(received.slice(Math.max(0, at - 10), at + 400))
}
