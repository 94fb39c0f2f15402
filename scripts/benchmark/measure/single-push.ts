import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { tokenOf } from '../setup/device-labels.ts'
import type { ServiceProcess } from '../setup/service-process.ts'
import { CONTENT, epochMs, finished } from './push-run.ts'
import type { PushRun } from './push-run.ts'

/** From one single push to the next. */
const PAUSE_MS = 200

/** Pushes to single devices, one after the other, for about `forMs`; resolves when all of them are over. */
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
 * Ms from the POST of each push to the gateway's answer, as the service wrote it down, in whole ms. The service does not
 * give that time away and a gateway cannot tell pushes apart at full speed, so this looks into the database.
 */
export function answeredAfter(directory: string, runs: readonly PushRun[]): number[] {
  using database = new Database(join(directory, 'bellhop.db'), { readonly: true })
  const finishedAt = database.prepare<{ finished_at: number }, [string]>(
    'SELECT d.finished_at FROM push p JOIN delivery d ON d.push = p.number WHERE p.id = ?',
  )
  return runs.map(({ id, postedAtMs }) => (finishedAt.get(id)?.finished_at ?? Number.NaN) - postedAtMs)
}
