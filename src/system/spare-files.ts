import { closeSync, openSync } from 'node:fs'

/** A thread of Bun's needs three for its event loop, and another thread may open some just then. */
const SPARE = 16

/**
 * Throws EMFILE where hardly any file is left that this process may open. To be called before a thread starts, of ours or
 * that of the first `fetch`: one that finds none ends the process (measured, Bun 1.4.5).
 */
export function ensureSpareFiles(): void {
  const files: number[] = []
  try {
    while (files.length < SPARE) files.push(openSync('/dev/null', 'r'))
  } finally {
    for (const file of files) closeSync(file)
  }
}
