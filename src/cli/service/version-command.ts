import { sqliteVersion } from '../../database/sqlite-version.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { COMMIT, RELEASE } from '../../version.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'

export const run: RunCommand = async ({ flags }) => done(flags.has('json') ? versionJson() : versionText())

/** `bellhop 0.1.0 (1a2b3c4, 2026-11-21), Bun 1.4.5, SQLite 3.53.3` */
export function versionText(): string {
  const from =
    COMMIT === null ? (Bun.isStandaloneExecutable ? 'unknown commit' : 'from source') : `${COMMIT.hash}, ${COMMIT.date}`
  return `bellhop ${RELEASE} (${from}), Bun ${Bun.version}, SQLite ${sqliteVersion()}\n`
}

/** The same in one line of JSON; `commit` is `null` where it is not known. */
function versionJson(): string {
  return jsonLine({ version: RELEASE, commit: COMMIT, bun: Bun.version, sqlite: sqliteVersion() })
}
