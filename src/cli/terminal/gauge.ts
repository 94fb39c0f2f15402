import type { BackupStep, BackupWatch } from '../../backup/watch.ts'
import { threadProgram } from '../../system/thread.ts'
import type { CommandContext } from '../command.ts'
import { createProgress, ERASE } from './progress.ts'

export interface GaugeOrder {
  readonly step: BackupStep
  readonly terminal: CommandContext['terminal']
  readonly flags: Int32Array<SharedArrayBuffer>
}

/** Shared by both threads. */
export const STOP = 0
export const DRAWING = 1

type Shown = Pick<CommandContext, 'terminal' | 'stderr' | 'clock'>

/** A smaller database takes half a second; the thread needs a tenth of one to start. */
const MIN_BYTES = 20_000_000

/** Like `createProgress`, for backup and restore: another thread shows the steps that block this one. */
export function createWatch(
  context: Shown,
  { quiet, minBytes = MIN_BYTES }: { readonly quiet: boolean; readonly minBytes?: number },
): BackupWatch & { end(): void } {
  let moving: ReturnType<typeof createProgress> | null = null
  function end(): void {
    moving?.end()
    moving = null
  }
  return {
    during(step, work) {
      end()
      if (quiet) return work()
      using _ = startGauge(step, context, minBytes)
      return work()
    },
    moved(done, total) {
      if (quiet) return
      moving ??= createProgress(context, { unit: 'bytes' })
      moving.show(done, total)
    },
    end,
  }
}

/** Until disposed of, unless the step has fewer than `minBytes`. */
export function startGauge(step: BackupStep, { terminal, stderr }: Shown, minBytes = MIN_BYTES): Disposable {
  if (step.size < minBytes) return { [Symbol.dispose]: () => undefined }
  const flags = new Int32Array(new SharedArrayBuffer(8))
  const order: GaugeOrder = { step, terminal, flags }
  const worker = new Worker(threadProgram('cli/terminal/gauge-worker.ts'), {
    workerData: order,
    ref: false,
  } as WorkerOptions)
  return {
    [Symbol.dispose]() {
      Atomics.store(flags, STOP, 1)
      while (Atomics.load(flags, DRAWING) === 1);
      worker.terminate()
      if (terminal !== null) stderr(ERASE)
    },
  }
}
