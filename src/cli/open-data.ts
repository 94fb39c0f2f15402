import { createCredentialStore } from '../application/credential-store.ts'
import { openDatabase } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import { copyDraft } from '../database/migration/upgrade-copy.ts'
import type { UpgradeStep } from '../database/migration/upgrade.ts'
import { releaseReserve } from '../database/reserve.ts'
import { inDataDirectory } from '../database/storage-errors.ts'
import { problem } from '../failure.ts'
import { apnsIdentityOf } from '../gateway/preview.ts'
import { sealedRecordsOf } from '../hook/sealed-records.ts'
import { createPushing } from '../push/pushing.ts'
import { proveSealingKey } from '../sealing/verify-key.ts'
import { readSettings } from '../settings/parse.ts'
import { byteSize } from '../text/byte-size.ts'
import { NO_KEY } from './app/app-text.ts'
import type { CommandContext, CommandOutcome, ParsedArguments, World } from './command.ts'
import { dataDirectory, noDatabaseIn } from './data-directory.ts'
import { tellServer } from './remote/command-socket.ts'
import { startGauge } from './terminal/gauge.ts'
import { createProgress } from './terminal/progress.ts'

export const RELEASED = 'The disk is full: the reserved space was released. serve reserves it again when there is room.'

export type OpenWorld = World & Disposable & { readonly kind: 'open' }

/** The only place where a command opens the database. `create`: it need not exist. */
export function openData(
  flags: ParsedArguments['flags'],
  context: CommandContext,
  { create = false } = {},
): OpenWorld | CommandOutcome {
  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const { data } = found
  const missing = create ? null : noDatabaseIn(found)
  if (missing !== null) return missing
  const released = create ? 0 : inDataDirectory(data, () => releaseReserve(data))
  if (released > 0) context.stderr(`bellhop: ${RELEASED}\n`)
  using watch = watchUpgrade(context)
  const opened = inDataDirectory(data, () => openDatabase(data, { report: watch.see }))
  return { kind: 'open', ...ownWorld(opened, data, context), [Symbol.dispose]: () => opened[Symbol.dispose]() }
}

function ownWorld(opened: Database, data: string, context: CommandContext): World {
  const { clock, audit } = context
  const database = audit?.watch(opened) ?? opened
  return {
    ...context,
    database,
    data,
    served: null,
    sealingKey() {
      const setting = readKeySetting(context)
      if (setting.kind === 'problems') return setting
      const proven = proveSealingKey({ sealed: sealedRecordsOf(database), dataDirectory: data, text: setting.text })
      if (proven.kind === 'problem') return problem(proven.problem)
      const made = `Credentials are sealed with the new key ${data}/key: keep a copy of it, separate from the database.`
      return { kind: 'loaded', key: proven.key, notes: proven.source === 'created' ? [made] : [] }
    },
    pushing() {
      const credentials = createCredentialStore({ database, clock, key: NO_KEY })
      return createPushing({
        database,
        clock,
        commit: async (operation) => database.transact(operation),
        credentials,
        apnsIdentity: (application) => apnsIdentityOf(credentials.summaries(application)),
      })
    },
    changed: () => tellServer(data, context),
  }
}

/** `undefined`: the key in the data directory. */
export function readKeySetting({ env, readFile }: Pick<CommandContext, 'env' | 'readFile'>) {
  const settings = readSettings(['key'], { flags: new Map(), env, readFile, withoutFlag: ['key'] })
  return settings.kind === 'problems'
    ? settings
    : ({ kind: 'setting', text: settings.config.key ?? undefined } as const)
}

/** A sentence for each step, and the progress of copy and migrations. */
function watchUpgrade(
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
