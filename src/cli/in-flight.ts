/** Bun reads it once, when the process starts; without it 256 requests are in flight at most, to all hosts together. */
const IN_FLIGHT_VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/** The highest value that Bun takes. */
const MOST = 65_535

/**
 * How many requests this process can have in flight. `restart`: the cap is not set, and only a process that starts with
 * it has it. The variable is its own marker: with it in the environment nothing is restarted again.
 */
export function inFlightCap(
  maxInFlight: number,
  env: Readonly<Record<string, string | undefined>>,
):
  | { readonly kind: 'restart'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'cap'; readonly maxInFlight: number; readonly warning: string | null } {
  const text = env[IN_FLIGHT_VARIABLE] ?? ''
  const cap = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(cap <= MOST)) return { kind: 'restart', variables: { [IN_FLIGHT_VARIABLE]: String(maxInFlight) } }
  const warning =
    cap < maxInFlight ? `${IN_FLIGHT_VARIABLE} is ${cap} and holds, although --max-in-flight is ${maxInFlight}.` : null
  return { kind: 'cap', maxInFlight: Math.min(cap, maxInFlight), warning }
}
