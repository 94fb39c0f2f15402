import type { DeviceAnswer } from '../../admin/api-types/device-types.ts'
import { applicationPage } from '../client/paths.ts'
import { DataTable } from './data-table.tsx'
import type { Column } from './data-table.tsx'

type PushThere = DeviceAnswer['pushes'][number]

interface Props<Row> {
  readonly application: string
  readonly whose: 'device' | 'user'
  readonly pushes: readonly Row[]
  readonly keyOf: (push: Row) => string
  /** After the column of the push. */
  readonly more?: readonly Column<Row>[]
}

export function PushResults<Row extends PushThere>({ application, whose, pushes, keyOf, more = [] }: Props<Row>) {
  const columns: readonly Column<Row>[] = [
    {
      name: 'Push',
      value: ({ title, push }) => title ?? push,
      show: ({ title, push }) => <bdi>{title ?? `${push.slice(0, 13)}…`}</bdi>,
      link: ({ push }) => applicationPage(application, 'pushes', push),
    },
    ...more,
    { name: 'Created', kind: 'time', value: ({ createdAt }) => createdAt },
    {
      name: 'Result',
      value: ({ verdict }) => verdict,
      show: ({ verdict, explanation }) => (
        <>
          <Verdict verdict={verdict} /> {explanation}
        </>
      ),
    },
  ]
  return (
    <>
      <h2>Latest pushes</h2>
      {pushes.length === 0 ? (
        <p>None of the application’s latest pushes was for this {whose}.</p>
      ) : (
        <DataTable caption="Latest pushes" columns={columns} rows={pushes} keyOf={keyOf} />
      )}
    </>
  )
}

export function Verdict({ verdict }: Pick<PushThere, 'verdict'>) {
  return <span class="state">{verdict === 'gone' ? 'unregistered' : verdict.replaceAll('_', ' ')}</span>
}
