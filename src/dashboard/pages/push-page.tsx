import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso/router'
import type { PushSummary } from '../../admin/api-types/push-types.ts'
import { call } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { useProgress } from '../client/live.ts'
import { onBehalf } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { DataTable } from '../components/data-table.tsx'
import { FailedDevices } from '../components/push/failed-devices.tsx'
import { keptIn, TextField } from '../components/field.tsx'
import { Facts, Figures } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { ProgressBar } from '../components/push/progress-bar.tsx'
import { PushLanguages } from '../components/push/push-languages.tsx'
import type { LanguageCounts } from '../components/push/push-languages.tsx'
import { headline, PushState } from '../components/push/push-table.tsx'
import { ResendPush } from '../components/push/resend-push.tsx'
import { count, share, time } from '../components/text.ts'

/** As `GET /push/{id}` of the public API has it. */
interface PushStatus {
  readonly failed: { readonly total: number; readonly reasons: Readonly<Record<string, number>> }
  /** How often each button was chosen. */
  readonly actions: Readonly<Record<string, number>>
  /** Not there where the push has one text; so is the other. */
  readonly languages?: readonly LanguageCounts[]
  readonly language_unknown?: Omit<LanguageCounts, 'language'>
}

/** As `GET /push/{id}/device` has it. */
interface Explanation {
  readonly verdict: string
  readonly explanation: string
}

/** One push, as it goes. */
export function PushPage() {
  const { id = '', push = '' } = useRoute().params
  const path = `/push/${encodeURIComponent(push)}`
  const progress = useProgress(push)
  const status = useResource<PushStatus>(
    // Read anew whenever more have failed, are reported, or it is over.
    `${onBehalf(id, path)}?${new URLSearchParams(progress === null ? {} : changesOf(progress))}`,
  )
  const isOver = progress !== null && ['finished', 'cancelled'].includes(progress.state)
  return (
    <Page
      title={progress === null ? 'Push' : headline(progress)}
      above={<ApplicationTabs id={id} name={progress?.application.name} />}
      lead={progress !== null && <PushState state={progress.state} />}
      problem={status.problem}
      curl={[
        publicCurl({ method: 'GET', path, application: id }),
        publicCurl({ method: 'POST', path: `${path}/cancel`, application: id }),
        publicCurl({ method: 'GET', path: `${path}/failures`, application: id }),
        adminCurl('POST', `/api/pushes/${encodeURIComponent(push)}/resend`, {}),
      ]}
    >
      {progress !== null && (
        <>
          <ProgressBar progress={progress} />
          <Counts progress={progress} />
          {!isOver && (
            <Form
              submit="Cancel what is left"
              isDangerous
              onSubmit={() => call('POST', onBehalf(id, `${path}/cancel`))}
            />
          )}
          {progress.state === 'finished' && progress.failed > 0 && (
            <ResendPush application={id} push={push} failed={progress.failed} />
          )}
          <Counted
            heading="Buttons that were chosen"
            caption="Actions"
            of="Button"
            counts={status.value?.actions ?? {}}
          />
          <Counted
            heading="Failed, by reason"
            caption="Failures"
            of="Reason"
            counts={status.value?.failed.reasons ?? {}}
          />
          {status.value?.languages !== undefined && status.value.language_unknown !== undefined && (
            <PushLanguages languages={status.value.languages} unknown={status.value.language_unknown} />
          )}
          {/* While it is sent, the list grows with every answer. */}
          {progress.state !== 'sending' && progress.failed > 0 && (
            <FailedDevices application={id} push={push} failed={progress.failed} />
          )}
          <Why id={id} path={path} />
        </>
      )}
    </Page>
  )
}

/** What of the counts is to be seen in the tables below them. */
function changesOf({ state, failed, opened, received }: PushSummary): Record<string, string> {
  return { state, failed: String(failed), opened: String(opened), received: String(received) }
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
          [
            'Received',
            <>
              {count(received)} <small>{share(received, accepted)}</small>
            </>,
          ],
          [
            'Opened',
            <>
              {count(opened)} <small>{share(opened, accepted)}</small>
            </>,
          ],
        ]}
      />
      <Facts
        of={[
          ['Made', time(createdAt)],
          ...(sendAt === null ? [] : [['To be sent', time(sendAt)] as const]),
          ['Over', time(finishedAt)],
        ]}
      />
    </>
  )
}

interface CountedProps {
  readonly heading: string
  readonly caption: string
  readonly counts: Readonly<Record<string, number>>
  /** What is counted. */
  readonly of: string
}

/** How often something was, by its name; of nothing nothing is shown. */
function Counted({ heading, caption, counts, of }: CountedProps) {
  const rows = Object.entries(counts)
  if (rows.length === 0) return null
  return (
    <>
      <h2>{heading}</h2>
      <DataTable
        caption={caption}
        columns={[
          { name: of, value: ([name]) => name, show: ([name]) => <bdi>{name}</bdi> },
          { name: 'Devices', isNumber: true, value: ([, devices]) => devices, show: ([, devices]) => count(devices) },
        ]}
        rows={rows}
        keyOf={([name]) => name}
      />
    </>
  )
}

/** What became of it for one phone, in a sentence. */
function Why({ id, path }: { readonly id: string; readonly path: string }) {
  const token = useSignal('')
  const answer = useSignal<Explanation | null>(null)
  return (
    <section>
      <h2>Why did this phone not get it?</h2>
      <Form
        submit="Explain"
        isQuiet
        onSubmit={async () => {
          answer.value = null
          const headers = { token: token.value.trim() }
          answer.value = await call<Explanation>('GET', onBehalf(id, `${path}/device`), { headers })
        }}
      >
        <TextField label="The phone's token" {...keptIn(token)} spellcheck={false} autocomplete="off" required />
      </Form>
      {answer.value !== null && (
        <Notice level="note">
          <p>
            <span class="state">{answer.value.verdict.replaceAll('_', ' ')}</span>
          </p>
          <p>{answer.value.explanation}</p>
        </Notice>
      )}
    </section>
  )
}
