import { closeSync, openSync } from 'node:fs'

/** A thread of Bun's needs three for its event loop, and other threads may open some too. */
const SPARE = 16

/**
 * Throws EMFILE if this process has hardly any files left to open. Call before starting a thread, or the first `fetch`:
 * a thread that finds none ends the process (measured, Bun 1.4.5).
 */
export function ensureSpareFiles(): void {
  const files: number[] = []
  try {
    while (files.length < SPARE) files.push(openSync('/dev/null', 'r'))
  } finally {
    for (const file of files) closeSync(file)
  }
}

/** The program of a `Worker`: `path` below src. In a compiled executable files are named from its root. */
export function threadProgram(path: string): string {
  return Bun.isStandaloneExecutable ? `./${path}` : new URL(`../${path}`, import.meta.url).href
}
