import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isoTime } from '../text/format.ts'
import { linkKeyFile, removeKeyFile, renameKeyFile } from './key-file.ts'
import { keyPathIn, readKeyFile } from './sealing-key.ts'

/*
 * The keys of a data directory: `key` is in use, `key.next` will replace it, and `key.until-20261120T120000Z` was in
 * use until then, for older backups.
 */
const NEXT = 'key.next'
const EARLIER = /^key\.until-/

export function nextKeyPathIn(dataDirectory: string): string {
  return join(dataDirectory, NEXT)
}

/** `null`: no file, or no key in it. */
export function nextKeyIn(dataDirectory: string): Uint8Array | null {
  const path = nextKeyPathIn(dataDirectory)
  return existsSync(path) ? keyIn(path) : null
}

/** Every key in the directory, whatever its use. */
export function keysIn(dataDirectory: string): readonly { readonly path: string; readonly key: Uint8Array }[] {
  return readdirSync(dataDirectory)
    .filter((name) => name === 'key' || name === NEXT || EARLIER.test(name))
    .toSorted()
    .flatMap((name) => {
      const path = join(dataDirectory, name)
      const key = keyIn(path)
      return key === null ? [] : [{ path, key }]
    })
}

/** Gives the key in use a second name, to keep it; returns the path, `null`: there is none. */
export function keepKey(dataDirectory: string, now: number): string | null {
  const path = keyPathIn(dataDirectory)
  if (!existsSync(path)) return null
  for (let at = now; ; at += 1000) {
    const kept = join(dataDirectory, `key.until-${stampOf(at)}`)
    if (linkKeyFile(path, kept)) return kept
  }
}

export function putNextKeyInPlace(dataDirectory: string): void {
  renameKeyFile(nextKeyPathIn(dataDirectory), keyPathIn(dataDirectory))
}

export function dropNextKey(dataDirectory: string): void {
  if (existsSync(nextKeyPathIn(dataDirectory))) removeKeyFile(nextKeyPathIn(dataDirectory))
}

export function dropKey(dataDirectory: string): void {
  removeKeyFile(keyPathIn(dataDirectory))
}

function keyIn(path: string): Uint8Array | null {
  const read = readKeyFile(path, 'data-directory')
  return read.kind === 'loaded' ? read.key : null
}

/** `20261120T120000Z` */
function stampOf(at: number): string {
  return `${isoTime(at).replaceAll(/[-:]/g, '').slice(0, 15)}Z`
}
