import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import type { SeedReport } from './worker.ts'
import { runWorkers } from './workers.ts'

const ROOT = join(import.meta.dir, '../..')

/** Needed by a process of the service, and by one of the simulation. */
const SOURCES = ['src', 'migrations', 'package.json', 'tsconfig.json']
const ENGINE = ['test/simulation', 'test/support/chance.ts', 'test/support/frames.ts']

/** A defect planted in a copy of the sources to see whether it is found. */
export interface Mutation {
  /** The effect, for the manual. */
  readonly name: string
  /** Text of src. Its file, spaces and line breaks do not matter. */
  readonly from: string
  readonly to: string
  /** Path from the root of the checkout. Only for a text that other files have too. */
  readonly file?: string
}

interface Hunt {
  /** The seed that shows it; `null`: none. */
  readonly found: SeedReport | null
  readonly seeds: number
}

/** Plants a defect in a copy of the sources and looks for a seed that shows it, from 1 on. */
export async function hunt(mutation: Mutation, limit: number, jobs: number): Promise<Hunt> {
  using copy = plantedCopy(mutation, ENGINE)
  const reports: SeedReport[] = []
  await runWorkers({
    root: copy.path,
    seed: 1,
    count: limit,
    jobs,
    shrink: false,
    untilFailure: true,
    lines: false,
    onReport: (report) => void reports.push(report),
  })
  return { found: reports.find(({ violation }) => violation !== null) ?? null, seeds: reports.length }
}

/** Copies the sources and plants a defect. `more`: further paths to copy. */
export function plantedCopy(mutation: Mutation, more: readonly string[] = []): ReturnType<typeof temporaryDirectory> {
  const copy = temporaryDirectory('bellhop-planted')
  for (const path of [...SOURCES, ...more]) cpSync(join(ROOT, path), join(copy.path, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy.path, 'node_modules'))
  plant(mutation, copy.path)
  return copy
}

function plant(mutation: Mutation, root: string): void {
  const sources = sourcesIn(root)
  const problem = whyNotPlanted(mutation, sources)
  if (problem !== null) throw new Error(problem)
  const [path = ''] = placesOf(mutation, sources)
  const changed = sources.get(path)?.replace(patternOf(mutation.from), () => mutation.to) ?? ''
  writeFileSync(join(root, path), changed)
}

/** Path below `root` → text. */
export function sourcesIn(root: string = ROOT): ReadonlyMap<string, string> {
  const paths = [...new Bun.Glob('src/**/*.ts').scanSync(root)]
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** `null`: it can be planted. */
export function whyNotPlanted(mutation: Mutation, sources: ReadonlyMap<string, string>): string | null {
  const places = placesOf(mutation, sources)
  if (places.length === 1) return null
  const where = places.length === 0 ? 'nowhere' : `in ${places.join(' and in ')}`
  return `"${mutation.name}" changes ${JSON.stringify(mutation.from)}, which stands ${where}`
}

/** Files with `from`, once per occurrence. */
function placesOf({ from, file }: Mutation, sources: ReadonlyMap<string, string>): readonly string[] {
  const pattern = patternOf(from)
  return [...sources].flatMap(([path, text]) =>
    file === undefined || file === path ? Array.from(text.matchAll(pattern), () => path) : [],
  )
}

/** Matches any layout. */
function patternOf(source: string): RegExp {
  const tokens = source.match(/[\w$]+|[^\w\s]/g) ?? []
  const [first = '', last = ''] = [tokens[0], tokens.at(-1)]
  const isWord = (token: string) => /^[\w$]/.test(token)
  const pattern = tokens.map((token, n) => {
    const before = tokens[n - 1]
    const gap = before === undefined ? '' : isWord(before) && isWord(token) ? '\\s+' : '\\s*'
    // The formatter ends a broken list in a comma.
    return gap + (/[)\]}]/.test(token) && before !== ',' ? ',?\\s*' : '') + RegExp.escape(token)
  })
  return new RegExp(`${isWord(first) ? '(?<![\\w$])' : ''}${pattern.join('')}${isWord(last) ? '(?![\\w$])' : ''}`, 'g')
}
