import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutation } from './mutation.ts'
import type { SeedReport } from './worker.ts'
import { runWorkers } from './workers.ts'

const ROOT = join(import.meta.dir, '../..')

/** What a process of the simulation loads. */
const COPIED = [
  'src',
  'test/simulation',
  'test/faults/stage',
  'test/support/frames.ts',
  'migrations',
  'package.json',
  'tsconfig.json',
]

export interface Hunt {
  readonly mutation: Mutation
  /** The seed that shows it; `null`: none does. */
  readonly found: SeedReport | null
  /** Seeds that were lived through. */
  readonly seeds: number
}

/** Plants a defect in a copy of the sources, and looks for a seed that shows it, from 1 on. */
export async function hunt(mutation: Mutation, limit: number, jobs: number): Promise<Hunt> {
  const root = mkdtempSync(join(tmpdir(), 'bellhop-planted-'))
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    plant(mutation, join(root, mutation.file))
    const reports: SeedReport[] = []
    const onReport = (report: SeedReport) => void reports.push(report)
    await runWorkers({ root, seed: 1, count: limit, jobs, shrink: false, untilFailure: true, lines: false, onReport })
    return { mutation, found: reports.find(({ violation }) => violation !== null) ?? null, seeds: reports.length }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Changes the file at `path`. */
export function plant({ name, from, to }: Mutation, path: string): void {
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`"${name}": what it changes does not stand once in ${path}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
}
