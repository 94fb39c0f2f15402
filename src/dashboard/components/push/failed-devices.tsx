import { applicationPage, onBehalf, queryOf } from '../../client/paths.ts'
import { PLATFORMS } from '../../client/platforms.ts'
import type { WrittenPlatform } from '../../client/platforms.ts'
import { useResource } from '../../client/resource.ts'
import { DataTable } from '../data-table.tsx'
import { Notice } from '../notice.tsx'
import { count, tokenPart } from '../text.ts'

/** As `GET /push/{id}/failures` of the public API has it. */
interface FailedDevice {
  /** `null`: it was erased since. */
  readonly token: string | null
  readonly platform: WrittenPlatform
  readonly state: 'rejected' | 'gone' | 'expired' | 'cancelled'
  readonly reason: string
  readonly attempts: number
  readonly at: string
}

interface Props {
  readonly application: string
  readonly push: string
  readonly failed: number
}

const MAX_SHOWN = 1000

export function FailedDevices({ application, push, failed }: Props) {
  const path = onBehalf(application, `/push/${encodeURIComponent(push)}/failures`)
  const { value, problem } = useResource<readonly FailedDevice[]>(failed > MAX_SHOWN ? null : path)
  if (failed > MAX_SHOWN) {
    return (
      <p>
        <a href={path} download={`failures-${push}.json`}>
          All {count(failed)} devices as JSON
        </a>
      </p>
    )
  }
  if (problem !== null) return <Notice level="error">{problem}</Notice>
  // Devices that the push ended before are counted, but not listed.
  if (value === null || value.length === 0) return null
  return (
    <DataTable
      caption="Failed devices"
      columns={[
        {
          name: 'Token',
          value: ({ token }) => token,
          show: ({ token }) => (token === null ? 'erased' : <code>{tokenPart(token, 16)}</code>),
          link: ({ token }) => token && applicationPage(application, 'devices') + queryOf({ q: token }),
        },
        { name: 'Platform', value: ({ platform }) => PLATFORMS[platform].name },
        { name: 'State', value: ({ state }) => state },
        { name: 'Reason', value: ({ reason }) => reason },
        { name: 'Attempts', kind: 'number', value: ({ attempts }) => attempts },
        { name: 'Time', kind: 'time', value: ({ at }) => at },
      ]}
      rows={value}
      keyOf={(device) => value.indexOf(device)}
    />
  )
}
