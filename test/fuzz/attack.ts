import { conversationOf } from './conversation.ts'
import { diceOf } from './dice.ts'
import type { KnownCall } from './message.ts'
import { talk } from './talk.ts'
import type { Outcome } from './talk.ts'

/** Where to talk to, and what would be taken there. */
export interface Side {
  readonly url: string
  readonly calls: readonly KnownCall[]
}

interface Attack {
  /** Of each a conversation is as likely as of any other. */
  readonly sides: readonly [Side, ...Side[]]
  readonly seed: number
  /** The first turn; a turn of a seed is always the same conversation. Default 0. */
  readonly from?: number
  /** Conversations at a time. */
  readonly atOnce: number
  /** Asked before each turn. */
  readonly goesOn: (turn: number) => boolean
}

interface Spoil {
  /** Conversations that were had. */
  readonly turns: number
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>
  /** What must not be, each with the turn that shows it. */
  readonly findings: readonly string[]
}

/**
 * Not ready, and full or used up, as the document says; and what is not HTTP/1 at all, which Bun answers itself with 505
 * (RFC 9110, 15.6.6).
 */
const ALLOWED = new Set([503, 505, 507])

/**
 * Who takes longer to say what it wants, in ms, is owed nothing: the service gives up one whose head takes 12 s. Where the
 * machine is busy, a client that meant to be quick may be so slow.
 */
const PATIENCE_MS = 5000

/** Has one conversation after the other, `atOnce` side by side. */
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
