import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A trial that is over. */
export interface Result {
  readonly journey: string
  readonly harm: string
  /** Calls of this class alone were counted; `null`: all that the harm can happen to. */
  readonly only: string | null
  readonly nth: number
  /** The call that was struck; `null`: the journey ended before. */
  readonly call: string | null
  readonly findings: readonly string[]
}

/** Trials that are over, in this run and those before. */
export interface Results {
  readonly all: readonly Result[]
  has(trial: Omit<Result, 'call' | 'findings'>): boolean
  add(result: Result): void
}

/** `path`: a file with a line of JSON for each; `null`: of this run alone. */
export function openResults(path: string | null): Results {
  const lines = path !== null && existsSync(path) ? wholeLinesOf(path) : []
  const all: Result[] = lines.map((line) => JSON.parse(line))
  const keyOf = ({ journey, harm, only, nth }: Omit<Result, 'call' | 'findings'>) => `${journey} ${harm} ${only} ${nth}`
  const known = new Set(all.map(keyOf))
  return {
    all,
    has: (trial) => known.has(keyOf(trial)),
    add(result) {
      all.push(result)
      known.add(keyOf(result))
      if (path !== null) appendFileSync(path, `${JSON.stringify(result)}\n`)
    },
  }
}

/** The last may have been cut off: that trial is not over. */
function wholeLinesOf(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  if (lines.pop() !== '') writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return lines
}
