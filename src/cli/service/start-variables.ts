/** Bun reads it once, when the process starts; without it 256 requests are in flight at most, to all hosts together. */
const IN_FLIGHT_VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/** The highest value that Bun takes. */
const MAX_ITEMS = 65_535

const MEMORY_VARIABLES: Readonly<Record<string, string>> = {
  /*
   * How much memory JavaScriptCore believes the machine to have, in bytes: it collects the more often the less that is,
   * and by default it lets a broadcast pile up garbage as if a server's whole memory were for it. Not a limit: a heap
   * that needs more gets more. Measured, 200,000 devices on 2 cores: 129 MB at most in place of 171, for 2 % of the CPU
   * time.
   */
  BUN_JSC_forceRAMSize: String(192 * 1024 * 1024),
  /*
   * How often at the most Bun's allocator, mimalloc, looks for holes in the memory it has, to give them back, in ms: by
   * default ten times a second, which a broadcast pays for with memory that is taken anew each time. Measured, 30,000
   * devices on 2 busy cores, eight turns: 0.92 of the CPU time a push, for 2 MB at the most.
   */
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '1000',
}

/**
 * Of the Bun that the executable is compiled with: another one may not know them, and then does not start. The heap may
 * grow by so much over what lives in it before it is collected, where by default it doubles; and so much of it must be
 * left after a collection of what is new, or the next one is of everything, where by default that is a third. Measured,
 * 200,000 devices on 2 busy cores: 14 MB less at the most in a broadcast, for as much time in collections; the first
 * without the second takes 1.7 times as much.
 */
const COMPILED_VARIABLES: Readonly<Record<string, string>> = {
  BUN_JSC_smallHeapGrowthFactor: '1.5',
  BUN_JSC_minEdenToOldGenerationRatio: '0.2',
}

/**
 * What the environment must hold when the process starts, and how many requests it can then have in flight. `restart`:
 * something is not set, and only a process that starts with it has it. The variables are their own markers: with them in
 * the environment nothing is restarted again. What the operator has set holds. `isCompiled`: this is the executable, and
 * not Bun with the program's source.
 */
export function startVariables(
  maxInFlight: number,
  env: Readonly<Record<string, string | undefined>>,
  isCompiled: boolean,
):
  | { readonly kind: 'restart'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'set'; readonly maxInFlight: number; readonly warning: string | null } {
  const text = env[IN_FLIGHT_VARIABLE] ?? ''
  const cap = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  const memory = Object.entries({ ...MEMORY_VARIABLES, ...(isCompiled && COMPILED_VARIABLES) })
  const variables = {
    ...(!(cap <= MAX_ITEMS) && { [IN_FLIGHT_VARIABLE]: String(maxInFlight) }),
    ...Object.fromEntries(memory.filter(([name]) => !env[name])),
  }
  if (Object.keys(variables).length > 0) return { kind: 'restart', variables }
  const warning =
    cap < maxInFlight ? `${IN_FLIGHT_VARIABLE} is ${cap} and holds, although --max-in-flight is ${maxInFlight}.` : null
  return { kind: 'set', maxInFlight: Math.min(cap, maxInFlight), warning }
}
