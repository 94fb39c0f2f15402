import { sqliteVersion } from '../../database/sqlite-version.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { COMMIT, RELEASE } from '../../version.ts'
import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'

export const run: RunCommand = async ({ flags }) => done(flags.has('json') ? await versionJson() : versionText())

function versionText(): string {
  const from =
    COMMIT === null ? (Bun.isStandaloneExecutable ? 'unknown commit' : 'from source') : `${COMMIT.hash}, ${COMMIT.date}`
  return `bellhop ${RELEASE} (${from}), Bun ${Bun.version}, SQLite ${sqliteVersion()}\n`
}

async function versionJson(): Promise<string> {
  // It has the text of every migration.
  const { NEWEST_SCHEMA } = await import('../../database/migration/migrations.ts')
  return jsonLine({
    version: RELEASE,
    commit: COMMIT,
    bun: Bun.version,
    sqlite: sqliteVersion(),
    schema: NEWEST_SCHEMA,
  })
}
