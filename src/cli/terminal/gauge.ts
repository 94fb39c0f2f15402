import type { BackupStep, BackupWatch } from '../../backup/watch.ts'
import { threadProgram } from '../../system/thread.ts'
import type { CommandContext } from '../command.ts'
import { createProgress, ERASE } from './progress.ts'

export interface GaugeOrder {
  readonly step: BackupStep
  readonly terminal: CommandContext['terminal']
  readonly flags: Int32Array<SharedArrayBuffer>
}

/** Places of two flags that both threads see: nothing more is to be drawn, and something is being drawn. */
export const STOP = 0
export const DRAWING = 1

type Shown = Pick<CommandContext, 'terminal' | 'stderr' | 'clock'>

/** A smaller database is done in half a second, and a thread takes a tenth of one to start. */
const MIN_BYTES = 20_000_000

/**
 * Shows how far a backup or a restore is, on standard error as `createProgress` does; what keeps this thread to itself
 * is shown by another one. `end` takes the bar away. With `quiet` nothing is shown.
 */
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

/** Shows a step until it is disposed of; one of fewer than `minBytes` not at all. */
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
      // For as long as it writes a line.
      while (Atomics.load(flags, DRAWING) === 1);
      worker.terminate()
      if (terminal !== null) stderr(ERASE)
    },
  }
}
