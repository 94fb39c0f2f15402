import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import type { PushSummary } from '../../admin/api-types/push-types.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import type { STATUS } from '../../push/status/status-schema.ts'
import { useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { useProgress } from '../client/live.ts'
import { onBehalf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { Facts, Figures } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Loading } from '../components/loaded.tsx'
import { Page } from '../components/page.tsx'
import { FailedDevices } from '../components/push/failed-devices.tsx'
import { ProgressBar } from '../components/push/progress-bar.tsx'
import { PushLanguages } from '../components/push/push-languages.tsx'
import { headline, PushState } from '../components/push/push-table.tsx'
import { ResendPush } from '../components/push/resend-push.tsx'
import { WithdrawPush } from '../components/push/withdraw-push.tsx'
import { WhyNot } from '../components/push/why-not.tsx'
import { count, share, time } from '../components/text.ts'

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
          {/* While it is sent, the list grows with every answer. */}
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
  const { accepted, failed, waiting, opened, received, createdAt, sendAt, finishedAt, title, msg } = progress
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
          ...(sendAt === null ? [] : [['Send at', time(sendAt)] as const]),
          ['Finished', time(finishedAt)],
        ]}
      />
    </>
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
