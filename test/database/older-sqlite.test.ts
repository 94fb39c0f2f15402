import { expect, test } from 'bun:test'
import { MIGRATIONS } from '../../src/database/migration/migrations.ts'

/** Functions and modifiers that SQLite has had since 3.40: on macOS Bun runs the system's, which is 3.39 on macOS 13. */
const NEWER =
  /\b(?:unhex|octet_length|timediff|concat|concat_ws|string_agg|json_error_position|json_pretty|jsonb\w*|median|percentile\w*|unistr\w*|if)\s*\(|'sub(?:sec|second)'/i

test.each(MIGRATIONS.map(({ number, sql }) => [number, sql] as const))(
  'migration %p asks for nothing that the SQLite of macOS 13 has not',
  (_, sql) => {
    const code = sql.replaceAll(/--.*$/gm, '')
    expect(NEWER.exec(code)?.[0]).toBeUndefined()
  },
)
