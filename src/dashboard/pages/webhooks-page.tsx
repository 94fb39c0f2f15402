import type { WebhooksAnswer, WebhookView } from '../../admin/api-types/webhook-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { count, time } from '../components/text.ts'

type Waiting = WebhookView['next'][number]

const COLUMNS: readonly Column<Waiting>[] = [
  { name: 'Event', value: ({ type }) => type },
  { name: 'Tries', isNumber: true, value: ({ attempts }) => attempts },
  { name: 'Made', isTime: true, value: ({ createdAt }) => createdAt },
  { name: 'Due', isTime: true, value: ({ dueAt }) => dueAt },
  { name: 'ID', value: ({ id }) => id, show: ({ id }) => <code>{id}</code> },
]

/** What is still to be told to the backends of applications. */
export function WebhooksPage() {
  const { value, problem, reload } = useResource<WebhooksAnswer>('/api/webhooks')
  return (
    <Page
      title="Webhooks"
      lead="What is still to be told to your backends; what was delivered is not kept"
      problem={problem}
      curl={[adminCurl('GET', '/api/webhooks')]}
    >
      {value?.webhooks.length === 0 && (
        <Empty title="No webhook yet">
          <p>An application tells its backend of what happens to pushes and devices once it has an address:</p>
          <Code
            text="bellhop app webhook shop --url https://shop.example/hooks --events push.finished,device.gone"
            label="Command"
          />
        </Empty>
      )}
      {value?.webhooks.map((webhook) => (
        <Webhook key={webhook.application.id} webhook={webhook} onRetried={reload} />
      ))}
    </Page>
  )
}

function Webhook({ webhook, onRetried }: { readonly webhook: WebhookView; readonly onRetried: () => void }) {
  const { application, url, events, disabledAt, waiting, next } = webhook
  return (
    <section>
      <h2>
        <a href={applicationPage(application.id)}>
          <bdi>{application.name}</bdi>
        </a>
      </h2>
      {disabledAt !== null && (
        <Notice level="warning">
          Its receiver said 410 Gone on {time(disabledAt)}: nothing is sent there any more.
        </Notice>
      )}
      <Facts
        of={[
          ['Address', url],
          ['Events', events.join(', ')],
          ['Waiting', count(waiting)],
        ]}
      />
      {waiting > 0 && (
        <>
          <DataTable caption={`Waiting for ${application.name}`} columns={COLUMNS} rows={next} keyOf={({ id }) => id} />
          <Form
            isQuiet
            submit="Try all again now"
            onSubmit={async () => {
              await call('POST', applicationCall(application.id, 'webhook', 'retry'))
              onRetried()
            }}
          />
        </>
      )}
    </section>
  )
}
