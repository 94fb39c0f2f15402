import type { DeviceView } from '../../admin/api-types/device-types.ts'
import { applicationPage } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { Badge } from './badge.tsx'
import { DataTable } from './data-table.tsx'
import type { Column } from './data-table.tsx'
import { tokenPart } from './text.ts'

/** The glossary's names of the states. */
export const STATE_NAMES = { registered: 'registered', gone: 'unregistered', quarantined: 'quarantined' } as const

export function DeviceState({ state }: Pick<DeviceView, 'state'>) {
  return <Badge level={state === 'registered' ? 'good' : 'mind'}>{STATE_NAMES[state]}</Badge>
}

const COLUMNS: readonly Column<DeviceView>[] = [
  { name: 'Platform', value: ({ platform }) => PLATFORMS[platform].name },
  { name: 'State', value: ({ state }) => STATE_NAMES[state], show: DeviceState },
  { name: 'User', kind: 'name', value: ({ user }) => user },
  { name: 'Tags', kind: 'name', value: ({ tag }) => tag.join(', ') },
  {
    name: 'App version',
    kind: 'name',
    value: ({ facts }) => facts.find(({ name }) => name === 'app_version')?.value ?? null,
  },
  { name: 'Registered', kind: 'time', value: ({ registeredAt }) => registeredAt },
  { name: 'Last seen', kind: 'time', value: ({ seenAt }) => seenAt },
  { name: 'Alias', kind: 'name', value: ({ alias }) => alias },
]

interface Props {
  readonly application: string
  readonly devices: readonly DeviceView[]
}

export function DeviceTable({ application, devices }: Props) {
  const token: Column<DeviceView> = {
    name: 'Token',
    value: (device) => device.token,
    show: (device) => <code>{tokenPart(device.token, 16)}</code>,
    link: ({ device }) => applicationPage(application, 'devices', device),
  }
  return <DataTable caption="Devices" columns={[token, ...COLUMNS]} rows={devices} keyOf={({ device }) => device} />
}
