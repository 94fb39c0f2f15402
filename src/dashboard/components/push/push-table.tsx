import type { PushSummary } from '../../../admin/api-types/push-types.ts'
import { applicationPage } from '../../client/paths.ts'
import { DataTable } from '../data-table.tsx'
import type { Column } from '../data-table.tsx'
import { count } from '../text.ts'

export interface ListedPush extends PushSummary {
  readonly application: string
}

const LEVELS = {
  scheduled: '',
  held: 'mind',
  sending: '',
  paused: 'mind',
  finished: 'good',
  cancelled: 'mind',
} as const

export function PushState({ state }: Pick<PushSummary, 'state'>) {
  return <span class={`state ${LEVELS[state]}`}>{state}</span>
}

/** What is shown of a push where there is a line for it. */
export function headline({ title, msg }: Pick<PushSummary, 'title' | 'msg'>): string {
  const text = title ?? msg ?? ''
  return text === '' ? 'Silent' : text
}

const COLUMNS: readonly Column<ListedPush>[] = [
  {
    name: 'Push',
    value: headline,
    show: (push) => (
      <a href={applicationPage(push.application, 'pushes', push.id)}>
        <bdi>{headline(push)}</bdi>
      </a>
    ),
  },
  { name: 'State', value: ({ state }) => state, show: PushState },
  { name: 'Addressed', isNumber: true, value: ({ addressed }) => addressed, show: (push) => count(push.addressed) },
  { name: 'Accepted', isNumber: true, value: ({ accepted }) => accepted, show: (push) => count(push.accepted) },
  { name: 'Failed', isNumber: true, value: ({ failed }) => failed, show: (push) => count(push.failed) },
  { name: 'Opened', isNumber: true, value: ({ opened }) => opened, show: (push) => count(push.opened) },
  { name: 'Made', isTime: true, value: ({ createdAt }) => createdAt },
]

/** Pushes with what became of them. */
export function PushTable({ caption, pushes }: { readonly caption: string; readonly pushes: readonly ListedPush[] }) {
  return <DataTable caption={caption} columns={COLUMNS} rows={pushes} keyOf={({ id }) => id} />
}
