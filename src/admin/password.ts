/**
 * At a time: each takes 64 MiB and a tenth of a second of one core (RFC 9106, 4, the second recommended option, with Bun's
 * own default of 2 passes).
 */
const MAX_AT_ONCE = 2

/** Stands in for the hash of an unknown name, so that unknown and wrong take the same time. Of what nobody knows. */
const NO_HASH =
  '$argon2id$v=19$m=65536,t=2,p=1$0LMRKWJX1OyV+yljxc4w92ec5XmHOe2A+LhgQzTVHSo$XLDihqhaIw7tnrUDtfnYoiTOS8fOS7TPJQXpsTXz2F0'

export interface Passwords {
  /** argon2id, in PHC's string format. */
  hash(password: string): Promise<string>
  /** Whether it is the one of this hash. `null` stands for an unknown name and never matches. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Hashes passwords, a few at a time, on other threads. */
export function createPasswords(): Passwords {
  let running = 0
  const line: (() => void)[] = []

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => line.push(resolve))
    else running++
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
    hash: (password) => inTurn(() => Bun.password.hash(password, 'argon2id')),
    async matches(password, hash) {
      const same = await inTurn(() => Bun.password.verify(password, hash ?? NO_HASH))
      return same && hash !== null
    },
  }
}
