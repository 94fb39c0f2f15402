import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Problem } from './credential.ts'

export interface SealingKey {
  readonly kind: 'loaded'
  /** 32 bytes. */
  readonly key: Uint8Array
  /** `'created'`: a new one, in the data directory. Losing it means storing every credential again. */
  readonly source: 'setting' | 'file' | 'data-directory' | 'created'
}

interface Options {
  /** Exists already. */
  readonly dataDirectory: string
  /** The key itself: 32 bytes in base64 or hex. Goes before `file`. */
  readonly text?: string | undefined
  /** A file that holds such a text. Goes before the data directory's own. */
  readonly file?: string | undefined
  /** Whether the database holds credentials: a new key would not open them. */
  readonly hasCredentials: boolean
  readonly random?: (length: number) => Uint8Array
}

/** Bytes. AES-256. */
const KEY_LENGTH = 32

/** The key that seals credentials. Without `text` and `file` it is `<dataDirectory>/key`, made on first use. */
export function loadSealingKey(options: Options): SealingKey | Problem {
  const { text, file, dataDirectory, hasCredentials, random = randomBytes } = options
  if (text !== undefined) return parse(text, 'The sealing key', 'setting')
  if (file !== undefined) return read(file, 'file')
  const path = join(dataDirectory, 'key')
  if (existsSync(path)) return read(path, 'data-directory')
  if (hasCredentials) {
    return problem(
      `The sealing key ${path} is missing and the database holds credentials sealed with it: put the file back, or give the key as a setting.`,
    )
  }
  return create(path, random(KEY_LENGTH)) ? read(path, 'created') : read(path, 'data-directory')
}

/** Writes the key unless another process was first, which is the `false`. */
function create(path: string, key: Uint8Array): boolean {
  // Written under another name and then linked: nobody, and no crash, ever sees a key file that is not whole.
  const draft = `${path}.${randomUUID()}`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeSync(descriptor, `${Buffer.from(key).toString('base64')}\n`)
    fsyncSync(descriptor)
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    closeSync(descriptor)
    rmSync(draft)
  }
  syncDirectoryOf(path)
  return true
}

/** Without it a power cut may take the new name away, and with it what has been sealed since. */
function syncDirectoryOf(path: string): void {
  const descriptor = openSync(dirname(path), 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function read(path: string, source: SealingKey['source']): SealingKey | Problem {
  try {
    return parse(readFileSync(path, 'utf8'), `The sealing key ${path}`, source)
  } catch (error) {
    return problem(`The sealing key ${path} cannot be read (${codeOf(error)}).`)
  }
}

function parse(text: string, subject: string, source: SealingKey['source']): SealingKey | Problem {
  const digits = text.trim()
  if (/^[0-9a-f]{64}$/i.test(digits)) return { kind: 'loaded', key: Buffer.from(digits, 'hex'), source }
  if (/^[\w+/-]{43}=?$/.test(digits)) return { kind: 'loaded', key: Buffer.from(digits, 'base64'), source }
  return problem(`${subject} is not 32 bytes in base64 (44 characters) or hex (64).`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

function problem(text: string): Problem {
  return { kind: 'problem', problem: text }
}
