import type { PushSummary } from '../../../admin/api-types/push-types.ts'
import { applicationPage } from '../../client/paths.ts'
import { Badge } from '../badge.tsx'
import type { BadgeLevel } from '../badge.tsx'
import { DataTable } from '../data-table.tsx'
import type { Column } from '../data-table.tsx'

export interface ListedPush extends PushSummary {
  readonly application: string
}

const LEVELS: Readonly<Record<PushSummary['state'], BadgeLevel>> = {
  scheduled: 'plain',
  held: 'mind',
  sending: 'plain',
  paused: 'mind',
  finished: 'good',
  cancelled: 'mind',
}

export function PushState({ state }: Pick<PushSummary, 'state'>) {
  return <Badge level={LEVELS[state]}>{state}</Badge>
}

export function headline({ title, msg }: Pick<PushSummary, 'title' | 'msg'>): string {
  const text = title ?? msg ?? ''
  return text === '' ? 'Silent' : text
}

const COLUMNS: readonly Column<ListedPush>[] = [
  { name: 'Push', kind: 'name', value: headline, link: (push) => applicationPage(push.application, 'pushes', push.id) },
  { name: 'State', value: ({ state }) => state, show: PushState },
  { name: 'Addressed', kind: 'number', value: ({ addressed }) => addressed },
  { name: 'Accepted', kind: 'number', value: ({ accepted }) => accepted },
  { name: 'Failed', kind: 'number', value: ({ failed }) => failed },
  { name: 'Opened', kind: 'number', value: ({ opened }) => opened },
  { name: 'Created', kind: 'time', value: ({ createdAt }) => createdAt },
  { name: 'Scheduled for', kind: 'time', value: ({ sendAt }) => sendAt },
]

export function PushTable({ caption, pushes }: { readonly caption: string; readonly pushes: readonly ListedPush[] }) {
  return <DataTable caption={caption} columns={COLUMNS} rows={pushes} keyOf={({ id }) => id} />
}

/** The main action of the pages about an application's pushes. `id`: the application's. */
export function SendLink({ id }: { readonly id: string }) {
  return (
    <a class="button primary" href={applicationPage(id, 'send')}>
      Send a push
    </a>
  )
}
