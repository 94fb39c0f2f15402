import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOwnerOf } from '../database/regular-file.ts'
import { codeOf } from '../text/error-code.ts'
import { isJsonObject, parseJsonObject } from '../text/json-object.ts'
import type { JsonObject } from '../text/json-object.ts'

export interface Verification {
  /** `null`: none yet. */
  readonly good: GoodBackup | null
  /** `null`: nothing. */
  readonly problem: BackupProblem | null
}

interface GoodBackup {
  readonly name: string
  readonly at: number
  readonly devices: number
}

interface BackupProblem {
  readonly name: string
  readonly at: number
  /** Sentences. */
  readonly what: string
}

const NAME = 'backup-verified.json'

/** Never half written. */
export function writeVerification(data: string, verification: Verification): void {
  const draft = join(data, `${NAME}.partial`)
  const file = openSync(draft, 'w', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify(verification)}\n`)
    giveToOwnerOf(data, file)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, join(data, NAME))
}

export function readVerification(data: string): Verification {
  try {
    const { good, problem } = parseJsonObject(readFileSync(join(data, NAME), 'utf8')) ?? {}
    return {
      good: isJsonObject(good) ? goodIn(good) : null,
      problem: isJsonObject(problem) ? problemIn(problem) : null,
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { good: null, problem: null }
    throw error
  }
}

function goodIn({ name, at, devices }: JsonObject): GoodBackup | null {
  if (typeof name !== 'string' || typeof at !== 'number' || typeof devices !== 'number') return null
  return { name, at, devices }
}

function problemIn({ name, at, what }: JsonObject): BackupProblem | null {
  if (typeof name !== 'string' || typeof at !== 'number' || typeof what !== 'string') return null
  return { name, at, what }
}
