import { failure } from '../failure.ts'

/**
 * argon2id with 19 MiB and 2 passes, the least that OWASP's "Password Storage Cheat Sheet" asks for: this runs on machines
 * with half a gigabyte. 30 to 60 ms of one core.
 */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/**
 * Hashes at a time. For such work Bun has one thread a core, at least two, and the syncs of commits need one: with two
 * hashes at a time on two cores each sync took 320 ms in place of 2 (2026-11-25, Bun 1.4.5), and every durable call with it.
 */
const MAX_AT_ONCE = 1

/** Those that wait for it: one or two seconds of work. */
const MAX_WAITING = 32

/** For a password that nobody looks at, since so many wait. In two seconds the line is over. */
export const BUSY = failure('TooManyRequestsError', 'Too many passwords are being checked. Try again in a moment.', {
  'retry-after': '2',
})

/** Stands in for the hash of an unknown name, so that unknown and wrong take the same time. Of what nobody knows. */
const NO_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sPjtw/XG+Dqxh0GEvvI0oG9DvdRX64qyye3DQYhYW58$BG5uBREJbPvDwM73oP4MSBWp+HlWAKVtnHawul/ptFA'

export interface Passwords {
  /** argon2id, in PHC's string format; `null`: too many wait. */
  hash(password: string): Promise<string | null>
  /** Whether it is the one of this hash; `null`: too many wait. A `null` hash stands for an unknown name and never matches. */
  matches(password: string, hash: string | null): Promise<boolean | null>
  /** Whether one more would be too many. */
  isFull(): boolean
}

/** argon2id, in PHC's string format; for a process that does nothing else. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, COST)
}

/** Hashes passwords, one at a time, on another thread. `argon2`: default Bun's. */
export function createPasswords(argon2: Pick<typeof Bun.password, 'hash' | 'verify'> = Bun.password): Passwords {
  let running = 0
  const line: (() => void)[] = []
  const isFull = () => running >= MAX_AT_ONCE && line.length >= MAX_WAITING

  async function inTurn<T>(work: () => Promise<T>): Promise<T | null> {
    if (isFull()) return null
    if (running < MAX_AT_ONCE) running++
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      // Its place goes on to the next in line.
      if (next === undefined) running--
      else next()
    }
  }

  return {
    hash: (password) => inTurn(() => argon2.hash(password, COST)),
    async matches(password, hash) {
      const same = await inTurn(() => argon2.verify(password, hash ?? NO_HASH))
      return same === true ? hash !== null : same
    },
    isFull,
  }
}
