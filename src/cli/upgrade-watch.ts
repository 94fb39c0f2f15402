import { copyDraft } from '../database/migration/upgrade-copy.ts'
import type { UpgradeStep } from '../database/migration/upgrade.ts'
import { byteSize } from '../text/byte-size.ts'
import type { CommandContext } from './command.ts'
import { startGauge } from './terminal/gauge.ts'
import { createProgress } from './terminal/progress.ts'

/**
 * Reports an upgrade that a command makes, a sentence a step, with the progress of the copy and the migrations. Dispose
 * it when the upgrade is over.
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

function upgradeText(step: Exclude<UpgradeStep, { kind: 'migrating' }>): string {
  switch (step.kind) {
    case 'waiting':
      return 'Another process is upgrading the database: waiting for it.'
    case 'copying':
      return `Copying the database (${byteSize(step.bytes)}) to ${step.copy} before its upgrade.`
    case 'upgrading':
      return `Upgrading the database from schema ${step.from} to ${step.to}.`
    case 'upgraded': {
      const erased = step.erased.length === 0 ? '' : ` Deleted older backups: ${step.erased.join(', ')}.`
      return `The database was upgraded. Delete its copy (${byteSize(step.bytes)}) when everything works.${erased}`
    }
  }
}
