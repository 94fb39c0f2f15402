import type { AlertsAnswer, AlertView } from '../../admin/api-types/alert-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { time } from '../components/text.ts'

export function AlertsPage() {
  const list = useResource<AlertsAnswer>('/api/alerts')
  useFresh(list)
  return (
    <Page
      lead="One message when something is wrong, and one when it has ended."
      curl={[adminCurl('GET', '/api/alerts'), adminCurl('POST', '/api/alerts/ntfy/test')]}
    >
      <Loaded of={list}>
        {({ alerts }) => (
          <>
            {alerts.map((alert) => (
              <Alert key={alert.name} alert={alert} onTested={list.reload} />
            ))}
            <Empty title={alerts.length === 0 ? 'No alerts yet' : 'Add another alert'}>
              <p>To a webhook, an ntfy topic or by email. On the command line:</p>
              <Code text="bellhop alert add ntfy https://ntfy.sh/your-secret-topic" label="Command" />
            </Empty>
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface AlertProps {
  readonly alert: AlertView
  readonly onTested: () => void
}

function Alert({ alert: { name, channel, place, kinds, toldAt, problem }, onTested }: AlertProps) {
  return (
    <section>
      <h2>{name}</h2>
      {problem !== null && <Notice level="error">The last message was not taken: {problem}</Notice>}
      <Facts
        of={[
          ['To', `${channel}, ${place}`],
          ['When', kinds.join(', ')],
          ['Last message', time(toldAt)],
        ]}
      />
      <div class="buttons">
        <Form
          isQuiet
          submit="Send test message"
          onSubmit={async () => {
            await call('POST', `/api/alerts/${name}/test`)
            onTested()
          }}
        />
      </div>
    </section>
  )
}
