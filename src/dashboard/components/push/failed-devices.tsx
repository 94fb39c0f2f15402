import { applicationPage, onBehalf } from '../../client/paths.ts'
import { useResource } from '../../client/resource.ts'
import { DataTable } from '../data-table.tsx'
import type { Column } from '../data-table.tsx'
import { Notice } from '../notice.tsx'
import { count, tokenPart } from '../text.ts'
import { PLATFORMS } from '../../client/platforms.ts'
import type { WrittenPlatform } from '../../client/platforms.ts'

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
  /** How many there are. */
  readonly failed: number
}

/** What is more than that is had as a file: a table of a million rows is read by nobody. */
const MOST_SHOWN = 1000

/** Device by device what a push failed for, and why. */
export function FailedDevices({ application, push, failed }: Props) {
  const path = onBehalf(application, `/push/${encodeURIComponent(push)}/failures`)
  const { value, problem } = useResource<readonly FailedDevice[]>(failed > MOST_SHOWN ? null : path)
  if (failed > MOST_SHOWN) {
    return (
      <p>
        <a href={path} download={`failures-${push}.json`}>
          All {count(failed)} devices as JSON
        </a>
      </p>
    )
  }
  if (problem !== null) return <Notice level="error">{problem}</Notice>
  // Those to which nothing was sent, since the push ended before, are not among them.
  if (value === null || value.length === 0) return null
  return (
    <DataTable
      caption="Failed devices"
      columns={columnsOf(application)}
      rows={value}
      keyOf={(device) => value.indexOf(device)}
    />
  )
}

function columnsOf(application: string): readonly Column<FailedDevice>[] {
  const devices = applicationPage(application, 'devices')
  return [
    {
      name: 'Token',
      value: ({ token }) => token,
      show: ({ token }) =>
        token === null ? (
          'erased since'
        ) : (
          <a href={`${devices}?q=${encodeURIComponent(token)}`}>
            <code>{tokenPart(token, 16)}</code>
          </a>
        ),
    },
    { name: 'Platform', value: ({ platform }) => PLATFORMS[platform].name },
    { name: 'State', value: ({ state }) => state },
    { name: 'Reason', value: ({ reason }) => reason },
    { name: 'Tries', isNumber: true, value: ({ attempts }) => attempts },
    { name: 'When', isTime: true, value: ({ at }) => at },
  ]
}
