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
  /** What belongs to none. */
  readonly unknown: Omit<LanguageCounts, 'language'>
}

interface Row extends LanguageCounts {
  readonly name: string
}

/** What became of a push for each text that it has. */
export function PushLanguages({ languages, unknown }: Props) {
  const rows: Row[] = languages.map((one) => ({ ...one, name: one.language ?? 'Its own text' }))
  if (unknown.s + unknown.failed + unknown.received + unknown.o + acted(unknown) > 0) {
    rows.push({ ...unknown, language: null, name: 'None known' })
  }
  return (
    <>
      <h2>By language</h2>
      <DataTable
        caption="Languages"
        columns={[
          { name: 'Language', value: ({ name }) => name },
          { name: 'Accepted', isNumber: true, value: ({ s }) => s },
          { name: 'Failed', isNumber: true, value: ({ failed }) => failed },
          { name: 'Received', isNumber: true, value: ({ received }) => received, show: shared('received') },
          { name: 'Opened', isNumber: true, value: ({ o }) => o, show: shared('o') },
          { name: 'Actions', isNumber: true, value: acted },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </>
  )
}

const shared = (name: 'received' | 'o') => (row: Row) => (
  <>
    {count(row[name])} <small>{share(row[name], row.s)}</small>
  </>
)

function acted({ actions }: Pick<LanguageCounts, 'actions'>): number {
  return Object.values(actions).reduce((sum, times) => sum + times, 0)
}
