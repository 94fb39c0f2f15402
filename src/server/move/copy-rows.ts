import type { JWK } from 'jose'
import type { Application } from '../../application/application.ts'
import type { Database } from '../../database/database.ts'
import { openReadOnly } from '../../database/read-only-database.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Value } from '../../database/statement.ts'
import type { MoveStep } from '../../move/move-messages.ts'
import { MOVED } from '../../move/moved-tables.ts'
import type { MovedTable } from '../../move/moved-tables.ts'
import { cellFrom } from '../../move/row-mapping.ts'
import type { Cell } from '../../move/row-mapping.ts'
import { columnsOf, highestNumbers, rowsOf } from '../../move/rows-store.ts'
import { sealTransportKey } from '../../move/transport-key.ts'
import { open, seal } from '../../sealing/seal.ts'
import type { SealedFor } from '../../sealing/seal.ts'
import { newSealingKey } from '../../sealing/sealing-key.ts'
import type { Service } from '../service.ts'

/** For one step: some 20 ms of reading here, and a transaction of 30 ms there. */
const MAX_ROWS = 2000
const MAX_CHARACTERS = 1024 * 1024

interface Copy extends Pick<Service, 'key' | 'time'> {
  readonly config: Pick<Service['config'], 'data'>
  readonly application: Application
  readonly publicKey: JWK
  /** `null`: the other server has it on disk; else why not. */
  readonly send: (step: MoveStep) => Promise<string | null>
}

/** Returns the numbers of rows by table, or why it failed. */
export async function copyRows(copy: Copy): Promise<Record<string, number> | string> {
  // A connection of its own: one that is open for seconds would show others an old state.
  using database = openReadOnly(copy.config.data)
  const transportKey = newSealingKey()
  const begun = await copy.send({
    step: 'begin',
    jwe: await sealTransportKey(transportKey, copy.publicKey),
    highest: highestNumbers(database),
    wallAheadMs: copy.time.wallAt(copy.time.now()) - copy.time.now(),
  })
  if (begun !== null) return begun
  const counts: Record<string, number> = {}
  let sending: Promise<string | null> = Promise.resolve(null)
  for (const table of MOVED) {
    const columns = columnsOf(database, table)
    counts[table.name] = 0
    for (const rows of pagesOf(database, table, columns, copy, transportKey)) {
      if (typeof rows === 'string') return (await sending) ?? rows
      // Reads a page while the other server writes the one before.
      const why = await sending
      if (why !== null) return why
      sending = copy.send({ step: 'rows', table: table.name, columns, rows })
      counts[table.name] = (counts[table.name] ?? 0) + rows.length
    }
  }
  return (await sending) ?? (await copy.send({ step: 'complete', rows: counts })) ?? counts
}

function* pagesOf(
  database: ReadOnlyDatabase,
  table: MovedTable,
  columns: readonly string[],
  { key, application: { id, number } }: Copy,
  transportKey: Uint8Array,
): Generator<Cell[][] | string> {
  const { local, sealedFor } = table
  const sealedAt = columns.findIndex((column) => local[column] === 'sealed')

  /** `undefined`: it does not open. */
  function travelling(sealed: Uint8Array, row: Readonly<Record<string, Value>>): Value | undefined {
    const [application, provider] = sealedFor?.(row, id) ?? []
    const of = { application, provider } as SealedFor
    const text = open(key, of, sealed)
    return text === null ? undefined : seal(transportKey, of, text)
  }

  let page: Cell[][] = []
  let size = 0
  for (const row of rowsOf(database, table, columns, number)) {
    const values = Object.values(row)
    const sealed = values[sealedAt]
    if (sealed instanceof Uint8Array) {
      const again = travelling(sealed, row)
      if (again === undefined) {
        yield `A sealed ${table.name} of the application does not open: bellhop doctor says which.`
        return
      }
      values[sealedAt] = again
    }
    for (const value of values) if (typeof value === 'string') size += value.length
    page.push(values.map(cellFrom))
    if (page.length < MAX_ROWS && size < MAX_CHARACTERS) continue
    yield page
    page = []
    size = 0
  }
  if (page.length > 0) yield page
}

export function estimatedBytes(database: Pick<Database, 'statement'>, application: number): number {
  const row = database
    .statement<{ bytes: number; own: number; devices: number }, [number]>(
      `SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes,
         coalesce((SELECT devices FROM registry_size WHERE application = ?), 0) AS own,
         (SELECT coalesce(sum(devices), 0) FROM registry_size) AS devices`,
    )
    .get(application)
  return row === null || row.devices === 0 ? 0 : Math.ceil((row.bytes * row.own) / row.devices)
}
