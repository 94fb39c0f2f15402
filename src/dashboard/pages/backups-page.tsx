import { useSignal } from '@preact/signals'
import type { BackupsAnswer } from '../../admin/api-types/operation-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { time } from '../components/text.ts'

/** Copies of everything, and the way back. */
export function BackupsPage() {
  const { value, problem, reload } = useResource<BackupsAnswer>('/api/backups')
  const isAsked = useSignal(false)
  const schedule = value?.schedule ?? null
  return (
    <Page
      title="Backups"
      problem={problem ?? value?.problem ?? null}
      action={
        schedule === null ? undefined : (
          <Form
            submit="Make one now"
            onSubmit={async () => {
              await call('POST', '/api/backups')
              isAsked.value = true
              reload()
            }}
          />
        )
      }
      curl={[adminCurl('GET', '/api/backups'), adminCurl('POST', '/api/backups')]}
    >
      {value !== null && schedule === null && (
        <Empty title="No backup is made">
          <p>The service makes them by itself once it is told where to:</p>
          <Code text="bellhop serve --backup /var/backups/bellhop" label="Command" />
        </Empty>
      )}
      {isAsked.value && <Notice level="good">It is being made.</Notice>}
      {schedule !== null && <Schedule schedule={schedule} />}
      {value !== null && value.backups.length > 0 && (
        <DataTable
          caption="Backups"
          columns={[
            { name: 'Backup', value: ({ name }) => name, show: ({ name }) => <code>{name}</code> },
            { name: 'Made', isTime: true, value: ({ at }) => at },
            { name: 'Bytes', isNumber: true, value: ({ bytes }) => bytes, show: ({ bytes }) => bytes.toLocaleString() },
          ]}
          rows={value.backups}
          keyOf={({ name }) => name}
        />
      )}
      <h2>And back</h2>
      <p>With the service stopped, on the machine that it runs on:</p>
      <Code text="bellhop manual backup" label="Command" />
    </Page>
  )
}

function Schedule({ schedule }: { readonly schedule: NonNullable<BackupsAnswer['schedule']> }) {
  const { everyHours, lastSuccessAt, lastError, isMaking, verified } = schedule
  return (
    <>
      {lastError !== null && <Notice level="error">The last one failed: {lastError}</Notice>}
      {verified !== null && verified.lastError !== null && (
        <Notice level="error">The newest cannot be restored: {verified.lastError}</Notice>
      )}
      <Facts
        of={[
          ['Every', `${everyHours} hours`],
          ['The last one', isMaking ? 'is being made' : time(lastSuccessAt)],
          ['Tried to restore', verified === null ? 'not looked at' : time(verified.lastSuccessAt)],
        ]}
      />
    </>
  )
}
