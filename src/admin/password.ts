/**
 * argon2id with 19 MiB and 2 passes, the least that OWASP's "Password Storage Cheat Sheet" asks for: this runs on machines
 * with half a gigabyte. 30 to 60 ms of one core.
 */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Hashes at a time, for their memory. */
const MAX_AT_ONCE = 2

/** Stands in for the hash of an unknown name, so that unknown and wrong take the same time. Of what nobody knows. */
const NO_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sPjtw/XG+Dqxh0GEvvI0oG9DvdRX64qyye3DQYhYW58$BG5uBREJbPvDwM73oP4MSBWp+HlWAKVtnHawul/ptFA'

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
    hash: (password) => inTurn(() => Bun.password.hash(password, COST)),
    async matches(password, hash) {
      const same = await inTurn(() => Bun.password.verify(password, hash ?? NO_HASH))
      return same && hash !== null
    },
  }
}
