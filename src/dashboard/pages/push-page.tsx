import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import type { PushSummary } from '../../admin/api-types/push-types.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import type { FAILED, STATUS, WITHDRAWAL } from '../../push/status/status-schema.ts'
import { useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { useProgress } from '../client/live.ts'
import { applicationPage, onBehalf, queryOf } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { Confirming } from '../components/dialog.tsx'
import { Facts, Figures } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Loading } from '../components/loaded.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { ProgressBar } from '../components/push/progress-bar.tsx'
import { PassedZones } from '../components/push/push-preview.tsx'
import { PushLanguages } from '../components/push/push-languages.tsx'
import { headline, PushState } from '../components/push/push-table.tsx'
import { ResendPush } from '../components/push/resend-push.tsx'
import { WhyNot } from '../components/push/why-not.tsx'
import { clock, count, share, time, tokenPart } from '../components/text.ts'

export function PushPage() {
  const { id } = useApplication()
  const push = useRoute().params['push'] ?? ''
  const path = `/push/${encodeURIComponent(push)}`
  const progress = useProgress(push)
  const { value: status, problem, reload } = useResource<AnswerOf<typeof STATUS>>(onBehalf(id, path))
  useEffect(() => {
    if (progress !== null) reload()
  }, [progress?.state, progress?.failed, progress?.opened, progress?.received])
  const isOver = progress !== null && ['finished', 'cancelled'].includes(progress.state)
  return (
    <Page
      title={progress === null ? undefined : headline(progress)}
      lead={progress !== null && <PushState state={progress.state} />}
      problem={problem}
      curl={[
        publicCurl({ method: 'GET', path, application: id }),
        publicCurl({ method: 'POST', path: `${path}/cancel`, application: id }),
        publicCurl({ method: 'DELETE', path: `${path}/shown`, application: id }),
        publicCurl({ method: 'GET', path: `${path}/failures`, application: id }),
        adminCurl('POST', `/api/pushes/${encodeURIComponent(push)}/resend`, {}),
      ]}
    >
      {progress === null && problem === null && <Loading />}
      {progress !== null && (
        <>
          <ProgressBar progress={progress} />
          <PassedZones of={progress.passed} />
          <Counts progress={progress} />
          {!isOver && (
            <Form submit="Cancel the rest" isDangerous onSubmit={() => call('POST', onBehalf(id, `${path}/cancel`))} />
          )}
          {progress.state === 'finished' && progress.failed > 0 && (
            <ResendPush application={id} push={push} failed={progress.failed} />
          )}
          {progress.accepted > 0 && (progress.title ?? progress.msg) !== null && (
            <WithdrawPush application={id} path={path} />
          )}
          <Counted heading="Buttons chosen" caption="Actions" of="Button" counts={status?.actions ?? {}} />
          <Counted heading="Failed, by reason" caption="Failures" of="Reason" counts={status?.failed.reasons ?? {}} />
          {status?.languages !== undefined && status.language_unknown !== undefined && (
            <PushLanguages languages={status.languages} unknown={status.language_unknown} />
          )}
          {/* During sending the list would grow with every answer. */}
          {progress.state !== 'sending' && progress.failed > 0 && (
            <FailedDevices application={id} push={push} failed={progress.failed} />
          )}
          <WhyNot application={id} path={path} />
        </>
      )}
    </Page>
  )
}

function Counts({ progress }: { readonly progress: PushSummary }) {
  const { accepted, failed, waiting, opened, received, createdAt, sendAt, local, finishedAt, title, msg } = progress
  return (
    <>
      {title !== null && msg !== null && (
        <p dir="auto" class="message">
          {msg}
        </p>
      )}
      <Figures
        of={[
          ['Accepted', count(accepted)],
          ['Failed', count(failed)],
          ['Waiting', count(waiting)],
          ['Received', count(received), share(received, accepted)],
          ['Opened', count(opened), share(opened, accepted)],
        ]}
      />
      <Facts
        of={[
          ['Created', time(createdAt)],
          ...(sendAt === null
            ? []
            : [['Send at', local === null ? time(sendAt) : `${clock(local)} local time`] as const]),
          ['Finished', time(finishedAt)],
        ]}
      />
    </>
  )
}

function WithdrawPush({ application, path }: { readonly application: string; readonly path: string }) {
  const { route } = useLocation()
  return (
    <Confirming
      kind="quiet"
      text="Withdraw…"
      title="Withdraw this push?"
      submit="Withdraw"
      onSubmit={async () => {
        const { id } = await call<AnswerOf<typeof WITHDRAWAL>>('DELETE', onBehalf(application, `${path}/shown`))
        route(applicationPage(application, 'pushes', id))
      }}
    >
      <p>A silent push removes it from phones whose app has a Bellhop library, if they wake. Browsers keep it.</p>
    </Confirming>
  )
}

interface CountedProps {
  readonly heading: string
  readonly caption: string
  readonly counts: Readonly<Record<string, number>>
  readonly of: string
}

function Counted({ heading, caption, counts, of }: CountedProps) {
  const rows = Object.entries(counts)
  if (rows.length === 0) return null
  return (
    <>
      <h2>{heading}</h2>
      <DataTable
        caption={caption}
        columns={[
          { name: of, kind: 'name', value: ([name]) => name },
          { name: 'Devices', kind: 'number', value: ([, devices]) => devices },
        ]}
        rows={rows}
        keyOf={([name]) => name}
      />
    </>
  )
}

interface FailedProps {
  readonly application: string
  readonly push: string
  readonly failed: number
}

const MAX_SHOWN = 1000

function FailedDevices({ application, push, failed }: FailedProps) {
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
  // Devices that were never sent to are counted, but not listed.
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
