import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { threadProgram } from '../../system/thread.ts'
import { DatabaseRefused } from '../database-refused.ts'
import { NEWEST_SCHEMA } from './migrations.ts'
import { headerSchemaOf } from './upgrade-copy.ts'
import type { UpgradeStep } from './upgrade.ts'

export type UpgradeNote =
  | { readonly kind: 'step'; readonly step: UpgradeStep }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | null }
  | { readonly kind: 'done' }

/**
 * Upgrades an older database in `directory` on a thread, so that this one can report progress and end the process.
 * Throws as `openDatabase` does.
 */
export async function upgradeOnThread(directory: string, report: (step: UpgradeStep) => void): Promise<void> {
  const path = join(directory, 'bellhop.db')
  if (!existsSync(path) || headerSchemaOf(path) >= NEWEST_SCHEMA) return
  const end = Promise.withResolvers<void>()
  const thread = new Worker(threadProgram('database/migration/upgrade-worker.ts'), {
    workerData: directory,
  } as WorkerOptions)
  thread.addEventListener('message', ({ data }: MessageEvent<UpgradeNote>) => {
    if (data.kind === 'step') report(data.step)
    else if (data.kind === 'done') end.resolve()
    else if (data.kind === 'refused') end.reject(new DatabaseRefused(data.message))
    else end.reject(Object.assign(new Error(data.message), { code: data.code }))
  })
  thread.addEventListener('error', ({ message }) => end.reject(new Error(message)))
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  thread.addEventListener('close', () => resolve())
  try {
    await end.promise
  } finally {
    // The thread holds the database's files until it has ended.
    thread.terminate()
    await closed
  }
}
