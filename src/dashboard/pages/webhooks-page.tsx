import type { ApplicationsAnswer } from '../../admin/api-types/application-types.ts'
import type { WebhooksAnswer, WebhookView } from '../../admin/api-types/webhook-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import type { Column } from '../components/data-table.tsx'
import { Confirming, Opener } from '../components/dialog.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { count, plural, time } from '../components/text.ts'
import { WebhookForm } from '../components/hook/webhook-form.tsx'

const COLUMNS: readonly Column<WebhookView['next'][number]>[] = [
  { name: 'Event', value: ({ type }) => type },
  { name: 'Attempts', kind: 'number', value: ({ attempts }) => attempts },
  { name: 'Created', kind: 'time', value: ({ createdAt }) => createdAt },
  { name: 'Due', kind: 'time', value: ({ dueAt }) => dueAt },
  { name: 'ID', kind: 'code', value: ({ id }) => id },
]

export function WebhooksPage() {
  const list = useResource<WebhooksAnswer>('/api/webhooks')
  const { value, reload } = list
  useFresh(list)
  const applications = useResource<ApplicationsAnswer>('/api/applications')
  const have = new Set(value?.webhooks.map(({ application }) => application.id))
  const without = applications.value?.applications.filter(({ id }) => !have.has(id)) ?? []
  return (
    <Page
      lead="Events for your backends. Delivered events are not kept."
      action={
        value !== null && without.length > 0 ? (
          <Opener
            kind="primary"
            text="Add webhook…"
            dialog={(close) => <WebhookForm applications={without} webhook={null} onDone={reload} onClose={close} />}
          />
        ) : undefined
      }
      problem={applications.problem}
      curl={[
        adminCurl('GET', '/api/webhooks'),
        adminCurl('PUT', applicationCall(without[0]?.id ?? 'app_…', 'webhook'), { url: 'https://shop.example/hooks' }),
      ]}
    >
      <Loaded of={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>On the command line:</p>
              <Code
                text="bellhop app webhook shop --url https://shop.example/hooks --events push.finished,device.gone"
                label="Command"
              />
            </Empty>
          ) : (
            webhooks.map((webhook) => <Webhook key={webhook.application.id} webhook={webhook} onChanged={reload} />)
          )
        }
      </Loaded>
    </Page>
  )
}

function Webhook({ webhook, onChanged }: { readonly webhook: WebhookView; readonly onChanged: () => void }) {
  const { application, url, events, disabledAt, waiting, next } = webhook
  const path = applicationCall(application.id, 'webhook')
  return (
    <section>
      <h2>
        <a href={applicationPage(application.id)}>
          <bdi>{application.name}</bdi>
        </a>
      </h2>
      {disabledAt !== null && (
        <Notice level="warning">
          Disabled: the receiver answered 410 Gone on {time(disabledAt)}. Change the webhook to enable it again.
        </Notice>
      )}
      <Facts
        of={[
          ['URL', url],
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
            submit="Retry all now"
            onSubmit={async () => {
              await call('POST', `${path}/retry`)
              onChanged()
            }}
          />
        )}
        <Opener
          text="Change…"
          dialog={(close) => (
            <WebhookForm applications={[application]} webhook={webhook} onDone={onChanged} onClose={close} />
          )}
        />
        <Confirming
          text="Remove…"
          title="Remove webhook"
          submit="Remove"
          onSubmit={async () => {
            await call('DELETE', path)
            onChanged()
          }}
        >
          <p>
            <bdi>{application.name}</bdi> stops sending events
            {waiting > 0 ? `, and ${plural(waiting, 'waiting event')} will be dropped` : ''}.
          </p>
        </Confirming>
      </div>
    </section>
  )
}
