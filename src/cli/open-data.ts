import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../config.ts'
import { inDataDirectory } from '../data-fault.ts'
import { openDatabase } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import type { UpgradeStep } from '../database/upgrade.ts'
import { problem } from './command.ts'
import type { Outcome, Surroundings } from './command.ts'
import { upgradeText } from './upgrade-text.ts'

export type DataSurroundings = Pick<Surroundings, 'env' | 'readFile' | 'clock' | 'stderr'>

/** `flag`: what --data says; `null`: the variable, or the default. */
export function dataDirectory(
  flag: string | null,
  { env, readFile }: Pick<DataSurroundings, 'env' | 'readFile'>,
): { readonly kind: 'directory'; readonly data: string } | Outcome {
  const flags = new Map(flag === null ? [] : [['data', flag]])
  const settings = readSettings(['data'], { flags, env, readFile })
  return settings.kind === 'problems' ? settings : { kind: 'directory', data: settings.config.data }
}

/** Opens the database that a command works on; the caller closes it. Without `create` there must be one. */
export function openData(
  flag: string | null,
  surroundings: DataSurroundings,
  { create = false } = {},
): { readonly kind: 'open'; readonly database: Database; readonly data: string } | Outcome {
  const found = dataDirectory(flag, surroundings)
  if (found.kind !== 'directory') return found
  const { data } = found
  if (!create && !existsSync(join(data, 'bellhop.db'))) {
    return problem(`There is no Bellhop database in ${data}: bellhop app create NAME makes one, --data names another.`)
  }
  const report = (step: UpgradeStep) => surroundings.stderr(`bellhop: ${upgradeText(step)}\n`)
  return { kind: 'open', database: inDataDirectory(data, () => openDatabase(data, { report })), data }
}
