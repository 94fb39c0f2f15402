import { randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../text/error-code.ts'
import { createKeyFile } from './key-file.ts'
import { lostText } from './key-messages.ts'

export interface SealingKey {
  readonly kind: 'loaded'
  /** 32 bytes. */
  readonly key: Uint8Array
  /** `'created'`: a new one, in the data directory. Losing it means storing every credential again. */
  readonly source: 'setting' | 'file' | 'data-directory' | 'created'
}

/**
 * Why there is no key to seal with, in a sentence. `'wrong'`: it opens no record; `'misplaced'`: another one on disk
 * does.
 */
export interface KeyProblem {
  readonly kind: 'problem'
  readonly problem: string
  readonly why: 'missing' | 'malformed' | 'unreadable' | 'wrong' | 'misplaced'
}

interface Options {
  /** Exists already. */
  readonly dataDirectory: string
  /** The key itself: 32 bytes in base64 or hex. Overrides the file. */
  readonly text?: string | undefined
  /** Whether the database holds credentials: a new key would not open them. */
  readonly hasCredentials: boolean
  readonly random?: (length: number) => Uint8Array
}

/** Bytes. AES-256. */
const KEY_LENGTH = 32

export function keyPathIn(dataDirectory: string): string {
  return join(dataDirectory, 'key')
}

/** The key that seals credentials. Without `text` it is `<dataDirectory>/key`, made on first use. */
export function loadSealingKey(options: Options): SealingKey | KeyProblem {
  const { text, dataDirectory, hasCredentials, random = randomBytes } = options
  if (text !== undefined) return parse(text, 'The sealing key', 'setting')
  const path = keyPathIn(dataDirectory)
  if (existsSync(path)) return readKeyFile(path, 'data-directory')
  if (hasCredentials) {
    const missing = `The sealing key ${path} is missing and the database holds credentials sealed with it: put the file back, or give the key as BELLHOP_KEY_FILE. ${lostText('them')}`
    return { kind: 'problem', problem: missing, why: 'missing' }
  }
  const isNew = createKeyFile(path, newSealingKey(random), dataDirectory)
  return readKeyFile(path, isNew ? 'created' : 'data-directory')
}

export function newSealingKey(random: (length: number) => Uint8Array = randomBytes): Uint8Array {
  return random(KEY_LENGTH)
}

/** `path` must exist. */
export function readKeyFile(path: string, source: SealingKey['source'] = 'file'): SealingKey | KeyProblem {
  try {
    return parse(source === 'file' ? readFileSync(path, 'utf8') : readOwn(path), `The sealing key ${path}`, source)
  } catch (error) {
    const code = codeOf(error) ?? String(error)
    return { kind: 'problem', problem: `The sealing key ${path} cannot be read (${code}).`, why: 'unreadable' }
  }
}

/** Follows no link in the data directory. Elsewhere systems hand secrets out as links. */
function readOwn(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function parse(text: string, subject: string, source: SealingKey['source']): SealingKey | KeyProblem {
  const digits = text.trim()
  if (/^[0-9a-f]{64}$/i.test(digits)) return { kind: 'loaded', key: Buffer.from(digits, 'hex'), source }
  if (/^[\w+/-]{43}=?$/.test(digits)) return { kind: 'loaded', key: Buffer.from(digits, 'base64'), source }
  const malformed = `${subject} is not 32 bytes in base64 (44 characters) or hex (64).`
  return { kind: 'problem', problem: malformed, why: 'malformed' }
}
