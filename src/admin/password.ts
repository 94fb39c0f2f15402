import { failure } from '../failure.ts'

/**
 * argon2id with the minimum of OWASP's "Password Storage Cheat Sheet", for machines with 512 MB. 30 to 60 ms of a core.
 */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/**
 * Bun hashes on one thread per core, at least two; syncs of commits need one. Two hashes at a time on two cores slowed
 * a sync, and every durable call, from 2 ms to 320 (2026-11-25, Bun 1.4.5).
 */
const MAX_AT_ONCE = 1

/** One to two seconds of work. */
const MAX_WAITING = 32

export const BUSY = failure('TooManyRequestsError', 'Too many passwords are being checked. Try again in a moment.', {
  'retry-after': '2',
})

/** For unknown names: verifying it takes as long as a wrong password. */
const NO_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sPjtw/XG+Dqxh0GEvvI0oG9DvdRX64qyye3DQYhYW58$BG5uBREJbPvDwM73oP4MSBWp+HlWAKVtnHawul/ptFA'

export type Argon2 = Pick<typeof Bun.password, 'hash' | 'verify'>

export type Passwords = ReturnType<typeof createPasswords>

/** Without a queue, for a process that does nothing else. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, COST)
}

/** On another thread. */
export function createPasswords(argon2: Argon2 = Bun.password) {
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
      if (next === undefined) running--
      else next()
    }
  }

  return {
    /** In PHC's string format; `null`: too many wait. */
    hash: (password: string): Promise<string | null> => inTurn(() => argon2.hash(password, COST)),
    /** `null`: too many wait. A `null` hash (unknown name) never matches. */
    async matches(password: string, hash: string | null): Promise<boolean | null> {
      const same = await inTurn(() => argon2.verify(password, hash ?? NO_HASH))
      return same === true ? hash !== null : same
    },
    isFull,
  }
}
