import type { AnswerOf } from '../../../http/answer-schema.ts'
import type { FAILED } from '../../../push/status/status-schema.ts'
import { applicationPage, onBehalf, queryOf } from '../../client/paths.ts'
import { PLATFORMS } from '../../client/platforms.ts'
import { useResource } from '../../client/resource.ts'
import { DataTable } from '../data-table.tsx'
import { Notice } from '../notice.tsx'
import { count, tokenPart } from '../text.ts'

interface Props {
  readonly application: string
  readonly push: string
  readonly failed: number
}

const MAX_SHOWN = 1000

export function FailedDevices({ application, push, failed }: Props) {
  const path = onBehalf(application, `/push/${encodeURIComponent(push)}/failures`)
  const { value, problem } = useResource<readonly AnswerOf<typeof FAILED>[]>(failed > MAX_SHOWN ? null : path)
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
