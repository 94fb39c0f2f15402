import { useSignal } from '@preact/signals'
import type { BackupsAnswer } from '../../admin/api-types/operation-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { useFresh, useResource } from '../client/resource.ts'
import { DataTable } from '../components/data-table.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { time } from '../components/text.ts'

export function BackupsPage() {
  const backups = useResource<BackupsAnswer>('/api/backups')
  const { value, reload } = backups
  useFresh(backups)
  const isAsked = useSignal(false)
  const schedule = value?.schedule ?? null
  return (
    <Page
      problem={value?.problem ?? null}
      action={
        schedule === null ? undefined : (
          <Form
            submit="Back up now"
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
      {isAsked.value && <Notice level="good">The backup has started.</Notice>}
      <Loaded of={backups}>
        {({ backups: rows }) => (
          <>
            {schedule === null ? (
              <Empty title="Backups are off">
                <p>Start the service with a place for them:</p>
                <Code text="bellhop serve --backup /var/backups/bellhop" label="Command" />
              </Empty>
            ) : (
              <Schedule schedule={schedule} />
            )}
            {rows.length > 0 && (
              <DataTable
                caption="Backups"
                columns={[
                  { name: 'Backup', kind: 'code', value: ({ name }) => name },
                  { name: 'Created', kind: 'time', value: ({ at }) => at },
                  { name: 'Bytes', kind: 'number', value: ({ bytes }) => bytes },
                ]}
                rows={rows}
                keyOf={({ name }) => name}
              />
            )}
            {rows.length === 0 && schedule !== null && <p>No backups yet. The first one follows within minutes.</p>}
          </>
        )}
      </Loaded>
      <h2>Restore</h2>
      <p>With the service stopped, on the machine it runs on:</p>
      <Code text="bellhop manual backup" label="Command" />
    </Page>
  )
}

function Schedule({ schedule }: { readonly schedule: NonNullable<BackupsAnswer['schedule']> }) {
  const { everyHours, lastSuccessAt, lastError, isMaking, verified } = schedule
  return (
    <>
      {lastError !== null && <Notice level="error">The last backup failed: {lastError}</Notice>}
      {verified !== null && verified.lastError !== null && (
        <Notice level="error">The newest backup cannot be restored: {verified.lastError}</Notice>
      )}
      <Facts
        of={[
          ['Every', `${everyHours} hours`],
          ['Last backup', isMaking ? 'running' : time(lastSuccessAt)],
          ['Last verified', verified === null ? 'off' : time(verified.lastSuccessAt)],
        ]}
      />
    </>
  )
}
