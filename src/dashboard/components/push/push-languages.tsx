import type { AnswerOf } from '../../../http/answer-schema.ts'
import type { STATUS } from '../../../push/status/status-schema.ts'
import type { Column } from '../data-table.tsx'
import { DataTable } from '../data-table.tsx'
import { count, share } from '../text.ts'

type PushStatus = AnswerOf<typeof STATUS>
type LanguageCounts = NonNullable<PushStatus['language_unknown']>

interface Props {
  readonly languages: NonNullable<PushStatus['languages']>
  readonly unknown: LanguageCounts
}

interface Row extends LanguageCounts {
  readonly name: string
}

export function PushLanguages({ languages, unknown }: Props) {
  const rows: Row[] = languages.map((one) => ({ ...one, name: one.language ?? 'Default text' }))
  if (unknown.s + unknown.failed + unknown.received + unknown.o + acted(unknown) > 0) {
    rows.push({ ...unknown, name: 'Unknown' })
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
