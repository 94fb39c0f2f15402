import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Flags<Given extends Options> = ReturnType<
  typeof parseArgs<{ readonly options: Given; readonly allowPositionals: true }>
>

/** The flags make no sense; the message says why. */
export class UsageError extends Error {}

/**
 * Runs a proof as its flags say, and ends the process with its exit code; with 2 after a `UsageError`, or flags that
 * do not exist. `--help` prints `help`.
 */
export async function runScript<const Given extends Options>(
  help: string,
  options: Given,
  run: (flags: Flags<Given>) => Promise<number>,
): Promise<never> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    console.log(help)
    process.exit(0)
  }
  try {
    process.exit(await run(parseArgs({ args, options, allowPositionals: true })))
  } catch (error) {
    if (!(error instanceof UsageError) && !isOfParseArgs(error)) throw error
    console.error(error.message)
    process.exit(2)
  }
}

function isOfParseArgs(error: unknown): error is Error {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
}

/** The number that a flag gives. */
export function wholeNumber(name: string, given: string, min: number): number {
  const number = Number(given)
  if (given !== '' && Number.isSafeInteger(number) && number >= min) return number
  throw new UsageError(`--${name} ${given}: a whole number from ${min}.`)
}

/** The seed of a run that was not given one. */
export function drawSeed(): string {
  return String(Math.floor(Math.random() * 1_000_000))
}

/** Prints what was found; gives the exit code. */
export function tell(findings: readonly string[]): number {
  console.log(findings.length === 0 ? '\nnothing found' : `\n${findings.join('\n')}\n\n${findings.length} found`)
  return findings.length === 0 ? 0 : 1
}
