import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { tokenOf } from '../setup/device-labels.ts'
import type { ServiceProcess } from '../setup/service-process.ts'
import { CONTENT, epochMs, finished } from './push-run.ts'
import type { PushRun } from './push-run.ts'

/** Between single pushes. */
const PAUSE_MS = 200

/** Pushes to single devices one by one for about `forMs`; resolves when all have finished. */
export async function singlePushes(service: ServiceProcess, forMs: number): Promise<readonly PushRun[]> {
  const runs: PushRun[] = []
  for (let n = 0; n * PAUSE_MS < forMs; n++) {
    const postedAtMs = epochMs()
    const { id } = await service.call('POST', '/push/one', { ...CONTENT, token: tokenOf(n) })
    runs.push({ id, postedAtMs })
    await Bun.sleep(PAUSE_MS - (epochMs() - postedAtMs))
  }
  for (const run of runs) await finished(service, run, 1)
  return runs
}

/**
 * Whole ms from each POST to the gateway's answer, from the database: the API does not report them, and the gateway
 * can't tell pushes apart at full speed.
 */
export function answeredAfter(directory: string, runs: readonly PushRun[]): number[] {
  using database = new Database(join(directory, 'bellhop.db'), { readonly: true })
  const finishedAt = database.prepare<{ finished_at: number }, [string]>(
    'SELECT d.finished_at FROM push p JOIN delivery d ON d.push = p.number WHERE p.id = ?',
  )
  return runs.map(({ id, postedAtMs }) => (finishedAt.get(id)?.finished_at ?? Number.NaN) - postedAtMs)
}
