import type { UpgradeStep } from '../database/migration/upgrade.ts'
import { byteSize } from '../text/byte-size.ts'

/** What a command says of an upgrade that it makes on its way: one sentence a step. */
export function upgradeText(step: Exclude<UpgradeStep, { kind: 'migrating' }>): string {
  switch (step.kind) {
    case 'waiting':
      return 'Another process upgrades the database: waiting for it.'
    case 'copying':
      return `Copying the database (${byteSize(step.bytes)}) to ${step.copy} before its upgrade.`
    case 'upgrading':
      return `Upgrading the database from schema ${step.from} to ${step.to}.`
    case 'upgraded': {
      const erased = step.erased.length === 0 ? '' : ` Erased older ones: ${step.erased.join(', ')}.`
      return `The database is upgraded. Its copy (${byteSize(step.bytes)}) may be erased when all is well.${erased}`
    }
  }
}
