import type { PushSummary } from '../../../admin/api-types/push-types.ts'
import { applicationPage } from '../../client/paths.ts'
import { Badge } from '../badge.tsx'
import type { BadgeLevel } from '../badge.tsx'
import { DataTable } from '../data-table.tsx'
import type { Column } from '../data-table.tsx'
import { clock } from '../text.ts'

export interface ListedPush extends PushSummary {
  readonly application: string
  /** Only in lists of several applications. */
  readonly applicationName?: string
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

const PUSH: Column<ListedPush> = {
  name: 'Push',
  kind: 'name',
  value: headline,
  link: (push) => applicationPage(push.application, 'pushes', push.id),
}

const APPLICATION: Column<ListedPush> = {
  name: 'Application',
  kind: 'name',
  value: ({ applicationName = '' }) => applicationName,
  link: ({ application }) => applicationPage(application),
}

const SCHEDULED_FOR: Column<ListedPush> = {
  name: 'Scheduled for',
  kind: 'time',
  value: ({ sendAt, local }) => local ?? sendAt,
  show: ({ sendAt, local }) => (local === null ? sendAt && clock(sendAt) : `${clock(local)} local time`),
}

const COLUMNS: readonly Column<ListedPush>[] = [
  { name: 'State', value: ({ state }) => state, show: PushState },
  { name: 'Addressed', kind: 'number', value: ({ addressed }) => addressed },
  { name: 'Accepted', kind: 'number', value: ({ accepted }) => accepted },
  { name: 'Failed', kind: 'number', value: ({ failed }) => failed },
  { name: 'Opened', kind: 'number', value: ({ opened }) => opened },
  { name: 'Created', kind: 'time', value: ({ createdAt }) => createdAt },
  SCHEDULED_FOR,
]

export function PushTable({ caption, pushes }: { readonly caption: string; readonly pushes: readonly ListedPush[] }) {
  const isOfSeveral = pushes.some(({ applicationName }) => applicationName !== undefined)
  const columns = [PUSH, ...(isOfSeveral ? [APPLICATION] : []), ...COLUMNS]
  return <DataTable caption={caption} columns={columns} rows={pushes} keyOf={({ id }) => id} />
}

export function ScheduledTable({ pushes }: { readonly pushes: readonly ListedPush[] }) {
  const state: Column<ListedPush> = { name: 'State', value: (push) => push.state, show: PushState }
  const columns = [PUSH, APPLICATION, SCHEDULED_FOR, state]
  return <DataTable caption="Scheduled pushes" columns={columns} rows={pushes} keyOf={({ id }) => id} />
}

export function SendLink({ id }: { readonly id: string }) {
  return (
    <a class="button primary" href={applicationPage(id, 'send')}>
      Send a push
    </a>
  )
}
