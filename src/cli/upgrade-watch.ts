import { copyDraft } from '../database/migration/upgrade-copy.ts'
import type { UpgradeStep } from '../database/migration/upgrade.ts'
import type { CommandContext } from './command.ts'
import { startGauge } from './terminal/gauge.ts'
import { createProgress } from './terminal/progress.ts'
import { upgradeText } from './upgrade-text.ts'

/**
 * Says each step of an upgrade that a command makes on its way, in a sentence on standard error, and shows how far the
 * copy is, and how many migrations are done. To be disposed of when the upgrade is over.
 */
export function watchUpgrade(
  context: Pick<CommandContext, 'stderr' | 'terminal' | 'clock'>,
): Disposable & { readonly see: (step: UpgradeStep) => void } {
  let gauge: Disposable | null = null
  let migrations: ReturnType<typeof createProgress> | null = null
  function stop(): void {
    gauge?.[Symbol.dispose]()
    gauge = null
    migrations?.end()
    migrations = null
  }
  return {
    see(step) {
      if (step.kind === 'migrating') {
        migrations ??= createProgress(context, { unit: 'migrations' })
        return migrations.show(step.number - step.from - 1, step.to - step.from)
      }
      stop()
      context.stderr(`bellhop: ${upgradeText(step)}\n`)
      if (step.kind === 'copying') gauge = startGauge({ into: copyDraft(step.copy), size: step.bytes }, context)
    },
    [Symbol.dispose]: stop,
  }
}
