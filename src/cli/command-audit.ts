import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addToFile, createAdminLogStore } from '../admin/admin-log-store.ts'
import type { AdminLogEntry } from '../admin/admin-log-store.ts'
import type { Actor } from '../admin/administrator.ts'
import { openDatabase } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import { isServed } from '../database/directory-lock.ts'
import { NEWEST_SCHEMA } from '../database/migration/migrations.ts'
import { schemaOfFile, writeSharedFile } from '../database/offline-database.ts'
import { refuseLinks } from '../database/regular-file.ts'
import { ACTING_FOR, operatorOf } from '../system/operator.ts'
import { onlyReads } from './command.ts'
import type { CommandAudit, CommandContext, CommandSpec, ParsedArguments } from './command.ts'
import { dataDirectory, quoted } from './data-directory.ts'
import { errorMessage } from './error-message.ts'
import { EXIT } from './outcome.ts'

const SHOWN_WORDS = /^\[?(APP|NAME|PUSH|FILE|TO|FROM)\]?$/

const USAGE_ERROR = exitText(EXIT.usage)

type Result = Exclude<AdminLogEntry['result'], 'started'>

interface CommandEntry {
  readonly audit: CommandAudit
  /** The command has ended, and its database is still open. */
  end(result: Result, code: string): void
}

interface Watched {
  readonly database: Database
  readonly log: ReturnType<typeof createAdminLogStore>
}

export function createCommandAudit(
  spec: CommandSpec,
  given: ParsedArguments,
  context: Pick<CommandContext, 'by' | 'env' | 'clock' | 'stderr' | 'readFile'>,
): CommandEntry | null {
  const actor = actorOf(context)
  if (spec.changes === null || actor === null || onlyReads(spec, given)) return null
  const { changes } = spec
  const by: Actor = actor
  const { clock, stderr } = context
  const command = commandText(spec, given)
  let subject = spec.words.length > 0 && /^\[?(APP|NAME)/.test(spec.words[0] ?? '') ? (given.words[0] ?? '') : ''
  let detail: AdminLogEntry['detail'] = {}
  let settings: ReturnType<Watched['log']['watch']> | null = null
  let watched: Watched | null = null
  /** The entry's number; `null`: nothing was changed yet. */
  let number: number | null = null

  const entry = () => ({ subject, detail, changes: settings?.() ?? {} })

  function begin({ log }: Watched): number {
    const { changes: changed } = entry()
    return log.add(by, changes.action, subject, detail, { command, changes: changed, result: 'started' })
  }

  const audit: CommandAudit = {
    watch(database) {
      const rows = database.statement<{ rows: number }, []>('SELECT total_changes() AS rows')
      const changedRows = () => rows.get()?.rows ?? 0
      const own = { database, log: createAdminLogStore({ database, clock }) }
      watched = own
      return {
        ...database,
        transact(work) {
          if (number !== null || database.inTransaction()) return database.transact(work)
          let begun: number | null = null
          const result = database.transact(() => {
            // On a server's connection, others have changed rows before.
            const before = changedRows()
            const made = work()
            if (changedRows() !== before) begun = begin(own)
            return made
          })
          number = begun
          return result
        },
      }
    },
    about(application) {
      subject = application
      settings ??= watched?.log.watch(application) ?? null
    },
    note: (more) => void (detail = { ...detail, ...more }),
  }

  function write(on: Watched, result: Result, code: string): void {
    if (number === null && result === 'ok' && !changes.evenWithoutRows) return
    on.database.transact(() => on.log.end(number ?? begin(on), { ...entry(), result, code }))
  }

  return {
    audit,
    end(result, code) {
      if (number === null && code === USAGE_ERROR) return
      try {
        const left = watched === null && changes.evenWithoutRows ? writeBeside(result, code) : null
        if (left !== null && result === 'ok') stderr(`bellhop: This was not recorded in the audit log: ${left}.\n`)
        if (watched !== null) write(watched, result, code)
      } catch (error) {
        const sentence = errorMessage(error)
        if (sentence === null) throw error
        if (result === 'ok') stderr(`bellhop: This was not recorded in the audit log. ${sentence}\n`)
      }
    },
  }

  /** For a command that did not open the database. Returns why there is no entry; `null`: there is one. */
  function writeBeside(result: Result, code: string): string | null {
    const found = dataDirectory(given.flags, context)
    const path = found.kind === 'directory' ? join(found.data, 'bellhop.db') : ''
    if (found.kind !== 'directory' || !existsSync(path)) return 'there is no database'
    refuseLinks(found.data)
    const schema = schemaOfFile(path)
    if (schema !== NEWEST_SCHEMA) return `the database has schema ${schema}, and is left as it is`
    if (isServed(found.data)) {
      using database = openDatabase(found.data)
      write({ database, log: createAdminLogStore({ database, clock }) }, result, code)
      return null
    }
    // So that a restored or compacted database stays one file.
    using file = writeSharedFile(path)
    addToFile(file, clock.now(), by, changes.action, subject, detail, { command, result, code })
    return null
  }
}

export function exitText(exitCode: number): string {
  return `exit ${exitCode}`
}

/** `null`: the service itself. */
export function actorOf({ by, env }: Pick<CommandContext, 'by' | 'env'>): Actor | null {
  if (by !== undefined) return by
  if (env[ACTING_FOR] !== undefined) return null
  const { user, terminal } = operatorOf(env)
  return { kind: 'command', name: user, origin: terminal }
}

/**
 * The command line without secrets and personal data: `…` replaces words and flag values, except names of applications,
 * pushes, administrators and files, and values of a known shape, such as numbers and paths.
 */
function commandText(spec: CommandSpec, { words, flags }: ParsedArguments): string {
  const shownWords = words.map((word, at) => (SHOWN_WORDS.test(spec.words[at] ?? '') ? quoted(word) : '…'))
  const shownFlags = [...flags].map(([name, value]) => {
    const flag = spec.flags.find((one) => one.name === name)
    if (flag?.placeholder === null) return `--${name}`
    const isShown = flag?.type !== undefined || flag?.setting !== undefined || flag?.placeholder === 'APP'
    return `--${name} ${isShown ? quoted(value) : '…'}`
  })
  return ['bellhop', spec.name, ...shownWords, ...shownFlags].join(' ')
}
