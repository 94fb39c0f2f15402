import { useSignal } from '@preact/signals'
import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { WebhooksAnswer, WebhookView } from '../../admin/api-types/webhook-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { Asking } from '../components/asking.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { count, plural, time } from '../components/text.ts'
import { WebhookForm } from '../components/webhook-form.tsx'

type Waiting = WebhookView['next'][number]

const COLUMNS: readonly Column<Waiting>[] = [
  { name: 'Event', value: ({ type }) => type },
  { name: 'Tries', isNumber: true, value: ({ attempts }) => attempts },
  { name: 'Made', isTime: true, value: ({ createdAt }) => createdAt },
  { name: 'Due', isTime: true, value: ({ dueAt }) => dueAt },
  { name: 'ID', value: ({ id }) => id, show: ({ id }) => <code>{id}</code> },
]

/** Where each application tells its backend of what happens, and what is still to be told. */
export function WebhooksPage() {
  const { value, problem, reload } = useResource<WebhooksAnswer>('/api/webhooks')
  const applications = useResource<ApplicationsAnswer>('/api/applications')
  const isOpen = useSignal(false)
  const have = new Set(value?.webhooks.map(({ application }) => application.id))
  const without = applications.value?.applications.filter(({ id }) => !have.has(id)) ?? []
  return (
    <Page
      title="Webhooks"
      lead="What your backends hear of, and what is still to be told; what was delivered is not kept"
      action={
        value !== null && without.length > 0 ? (
          <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
            Set a webhook …
          </button>
        ) : undefined
      }
      problem={problem ?? applications.problem}
      curl={[
        adminCurl('GET', '/api/webhooks'),
        adminCurl('PUT', applicationCall(without[0]?.id ?? 'app_…', 'webhook'), { url: 'https://shop.example/hooks' }),
      ]}
    >
      {value?.webhooks.length === 0 && (
        <Empty title="No webhook yet">
          <p>An application tells its backend of what happens to pushes and devices once it has an address. Or by:</p>
          <Code
            text="bellhop app webhook shop --url https://shop.example/hooks --events push.finished,device.gone"
            label="Command"
          />
        </Empty>
      )}
      {value?.webhooks.map((webhook) => (
        <Webhook key={webhook.application.id} webhook={webhook} onChanged={reload} />
      ))}
      {isOpen.value && (
        <WebhookForm
          applications={without}
          webhook={null}
          onDone={reload}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </Page>
  )
}

interface WebhookProps {
  readonly webhook: WebhookView
  readonly onChanged: () => void
}

function Webhook({ webhook, onChanged }: WebhookProps) {
  const { application, url, events, disabledAt, waiting, next } = webhook
  const asked = useSignal<'change' | 'remove' | null>(null)
  const close = (): void => {
    asked.value = null
  }
  return (
    <section>
      <h2>
        <a href={applicationPage(application.id)}>
          <bdi>{application.name}</bdi>
        </a>
      </h2>
      {disabledAt !== null && (
        <Notice level="warning">
          Its receiver said 410 Gone on {time(disabledAt)}: nothing is sent there any more, until you change it.
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
        <DataTable caption={`Waiting for ${application.name}`} columns={COLUMNS} rows={next} keyOf={({ id }) => id} />
      )}
      <div class="buttons">
        {waiting > 0 && (
          <Form
            isQuiet
            submit="Try all again now"
            onSubmit={async () => {
              await call('POST', applicationCall(application.id, 'webhook', 'retry'))
              onChanged()
            }}
          />
        )}
        <button type="button" onClick={() => (asked.value = 'change')}>
          Change …
        </button>
        <button type="button" class="danger" onClick={() => (asked.value = 'remove')}>
          Remove …
        </button>
      </div>
      {asked.value === 'change' && (
        <WebhookForm applications={[application]} webhook={webhook} onDone={onChanged} onClose={close} />
      )}
      {asked.value === 'remove' && (
        <Asking
          title="Remove the webhook"
          submit="Remove"
          isDangerous
          onSubmit={async () => {
            await call('DELETE', applicationCall(application.id, 'webhook'))
            close()
            onChanged()
          }}
          onClose={close}
        >
          <p>
            <bdi>{application.name}</bdi> tells nobody of what happens any more; what waits
            {waiting > 0 ? ` (${plural(waiting, 'event')})` : ''} is dropped.
          </p>
        </Asking>
      )}
    </section>
  )
}
