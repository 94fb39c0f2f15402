import type { AlertsAnswer, AlertView } from '../../admin/api-types/alert-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { useFresh, useResource } from '../client/resource.ts'
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
      lead="A message when trouble begins, and one when it ends."
      curl={[adminCurl('POST', '/api/alerts/ntfy/test')]}
    >
      <Loaded of={list}>
        {({ alerts }) => (
          <>
            {alerts.map((alert) => (
              <Alert key={alert.name} alert={alert} onTested={list.reload} />
            ))}
            <Empty title="Add an alert">
              <Code text="bellhop alert add ntfy https://ntfy.sh/your-secret-topic" label="Command" />
            </Empty>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Alert({ alert, onTested }: { readonly alert: AlertView; readonly onTested: () => void }) {
  const { name, place, kinds, toldAt, problem } = alert
  const test = async (): Promise<void> => {
    await call('POST', `/api/alerts/${name}/test`)
    onTested()
  }
  return (
    <Form isQuiet submit="Send test message" onSubmit={test}>
      <h2>{name}</h2>
      <p>
        {place}: {kinds.join(', ')}. Last message: {time(toldAt)}.
      </p>
      {problem !== null && <Notice level="error">{problem}</Notice>}
    </Form>
  )
}
