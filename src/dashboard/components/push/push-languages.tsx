import type { Column } from '../data-table.tsx'
import { DataTable } from '../data-table.tsx'
import { count, share } from '../text.ts'

/** As `GET /push/{id}` of the public API has it. */
export interface LanguageCounts {
  /** `null`: the push's own text. */
  readonly language: string | null
  readonly s: number
  readonly failed: number
  readonly received: number
  readonly o: number
  readonly actions: Readonly<Record<string, number>>
}

interface Props {
  readonly languages: readonly LanguageCounts[]
  readonly unknown: Omit<LanguageCounts, 'language'>
}

interface Row extends LanguageCounts {
  readonly name: string
}

export function PushLanguages({ languages, unknown }: Props) {
  const rows: Row[] = languages.map((one) => ({ ...one, name: one.language ?? 'Default text' }))
  if (unknown.s + unknown.failed + unknown.received + unknown.o + acted(unknown) > 0) {
    rows.push({ ...unknown, language: null, name: 'Unknown' })
  }
  return (
    <>
      <h2>By language</h2>
      <DataTable
        caption="Languages"
        columns={[
          { name: 'Language', value: ({ name }) => name },
          { name: 'Accepted', kind: 'number', value: ({ s }) => s },
          { name: 'Failed', kind: 'number', value: ({ failed }) => failed },
          shared('Received', 'received'),
          shared('Opened', 'o'),
          { name: 'Actions', kind: 'number', value: acted },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </>
  )
}

const shared = (name: string, field: 'received' | 'o'): Column<Row> => ({
  name,
  kind: 'number',
  value: (row) => row[field],
  show: (row) => (
    <>
      {count(row[field])} <small>{share(row[field], row.s)}</small>
    </>
  ),
})

function acted({ actions }: Pick<LanguageCounts, 'actions'>): number {
  return Object.values(actions).reduce((sum, times) => sum + times, 0)
}
