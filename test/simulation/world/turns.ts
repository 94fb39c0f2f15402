/* Replaces everything on this thread that the seed must control: turns of the event loop, random bits, clocks, and signatures, which the runtime computes on other threads. Only for a separate process. */

const nextTurn = setImmediate
const queue: (() => void)[] = []

/** Keys being read on another thread, once each. */
const importing = new Set<Promise<unknown>>()

function turn(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve))
}

/** Runs everything that is ready: promises and turns of the event loop. */
export async function settle(): Promise<void> {
  let ran = 0
  do {
    await turn()
    while (importing.size > 0) await Promise.all(importing).then(turn)
    const ready = queue.splice(0)
    ran = ready.length
    for (const run of ready) run()
  } while (ran > 0)
}

export function forgetTurns(): void {
  queue.length = 0
}

interface Sources {
  readonly now: () => number
  readonly monotonic: () => number
  /** In [0, 1). */
  readonly random: () => number
}

let sources: Sources = { now: () => 0, monotonic: () => 0, random: () => 0 }

export function useSources(others: Sources): void {
  sources = others
}

/** Replaces the runtime's sources. Call it once. */
export function takeOver(): void {
  const setTurn = (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
    void queue.push(() => callback(...args))
  Object.assign(globalThis, { setImmediate: setTurn })
  performance.now = () => sources.monotonic()
  Date.now = () => sources.now()
  Math.random = () => sources.random()
  Object.assign(Bun, { randomUUIDv7: (_encoding?: string, at?: number) => uuidOf(at ?? sources.now(), sources.random) })
  const keys = new Map<string, Promise<CryptoKey>>()
  const { subtle } = crypto
  const importKey = subtle.importKey.bind(subtle) as (...args: unknown[]) => Promise<CryptoKey>
  Object.assign(subtle, {
    importKey(format: string, bytes: Uint8Array, ...rest: unknown[]) {
      const known = `${format} ${Bun.hash(bytes)}`
      const read = keys.get(known)
      if (read !== undefined) return read
      const key = importKey(format, bytes, ...rest)
      keys.set(known, key)
      importing.add(key)
      void key.finally(() => importing.delete(key))
      return key
    },
    // No gateway of this world checks signatures.
    sign: () => Promise.resolve(new ArrayBuffer(64)),
  })
}

/** Version 7 (RFC 9562, 5.7). */
function uuidOf(at: number, random: () => number): string {
  const hex = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const time = Math.max(at, 0).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${'89ab'[Math.floor(random() * 4)]}${hex(3)}-${hex(6)}${hex(6)}`
}
