/** How much is tried: `MODEL_RUNS=500 bun test --timeout=86400000 test/registry-model` tries 500 times as much. */
export const EXTENT = Number(process.env['MODEL_RUNS'] ?? 1)

/**
 * For fast-check: in the suite always the same calls, by hand others each time. On a machine that is slow what was tried in
 * 45 s is enough; a test that is cut off tells of no failure.
 */
export const PARAMETERS: {
  readonly unbiased: true
  readonly seed?: number
  readonly interruptAfterTimeLimit?: number
} = { unbiased: true, ...(EXTENT === 1 && { seed: 20_261_122, interruptAfterTimeLimit: 45_000 }) }

/** Says, by hand, how much was tried. */
export function tell(sentence: string): void {
  if (EXTENT > 1) process.stderr.write(`${sentence}\n`)
}
