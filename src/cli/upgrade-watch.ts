import { copyDraft } from '../database/migration/upgrade-copy.ts'
import type { UpgradeStep } from '../database/migration/upgrade.ts'
import type { CommandContext } from './command.ts'
import { startGauge } from './terminal/gauge.ts'
import { upgradeText } from './upgrade-text.ts'

/**
 * Says each step of an upgrade that a command makes on its way, in a sentence on standard error, and shows how far the
 * copy is, which takes longest. To be disposed of when the upgrade is over.
 */
export function watchUpgrade(
  context: Pick<CommandContext, 'stderr' | 'terminal' | 'clock'>,
): Disposable & { readonly see: (step: UpgradeStep) => void } {
  let gauge: Disposable | null = null
  function stop(): void {
    gauge?.[Symbol.dispose]()
    gauge = null
  }
  return {
    see(step) {
      stop()
      context.stderr(`bellhop: ${upgradeText(step)}\n`)
      if (step.kind === 'copying') gauge = startGauge({ into: copyDraft(step.copy), size: step.bytes }, context)
    },
    [Symbol.dispose]: stop,
  }
}
