import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type {
  ApplicationAnswer,
  ApplicationLimits,
  NewSecretAnswer,
  RotateSecretRequest,
} from '../../admin/api-types/application-types.ts'
import { newSecret, secretOf, useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { ALL_PROVIDERS, PROVIDERS } from '../client/platforms.ts'
import { useFresh } from '../client/resource.ts'
import { Asking, Confirming, Opener, Telling } from '../components/dialog.tsx'
import { ChoiceField, keptIn, TextField } from '../components/field.tsx'
import { Facts } from '../components/figures.tsx'
import { LimitsForm } from '../components/limits-form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { SendLink } from '../components/push/push-table.tsx'
import { count, time } from '../components/text.ts'
import { WebhookForm } from '../components/hook/webhook-form.tsx'
import { ProviderMark } from './applications-page.tsx'

export function ApplicationPage() {
  const application = useApplication()
  const { id, value, reload } = application
  useFresh(application)
  const path = applicationCall(id)
  const secret = secretOf(id)
  return (
    <Page
      title={value?.name}
      action={<SendLink id={id} />}
      curl={[
        adminCurl('GET', path),
        adminCurl('PATCH', path, { rate: 20 }),
        adminCurl('POST', `${path}/rotate-secret`),
      ]}
    >
      {secret !== null && (
        <Notice level="good">
          <p>Application secret. For your backend only, never for an app. Copy it now. You won’t see it again.</p>
          <Code text={secret} label="Secret" />
        </Notice>
      )}
      <Loaded of={application}>
        {(value) => (
          <>
            <Known {...value} onChanged={reload} />
            <h2>Usage</h2>
            <Use use={value.use} />
            <h2>Limits</h2>
            <LimitsForm
              limits={value.limits}
              onSave={async (changed: Partial<ApplicationLimits>) => {
                await call('PATCH', path, { body: changed })
                reload()
              }}
            />
            <h2>Secret and simulator</h2>
            <div class="buttons">
              <Opener text="Rotate secret…" dialog={(close) => <RotateSecret id={id} onClose={close} />} />
              <Confirming
                kind="quiet"
                text={value.simulated ? 'Switch to real gateways…' : 'Use the simulator…'}
                title={value.simulated ? 'Switch to real gateways?' : 'Use the simulator?'}
                submit={value.simulated ? 'Switch' : 'Use the simulator'}
                onSubmit={async () => {
                  await call('POST', `${path}/simulate`, { body: { simulate: !value.simulated, confirm: true } })
                  reload()
                }}
              >
                <p>
                  {value.simulated
                    ? 'Every push then goes to Apple and Google, also one that waits now.'
                    : 'No push then reaches a phone, not even one that waits now. A device whose token the simulator rejects gets no more pushes.'}
                </p>
              </Confirming>
              {value.simulated && (
                <a class="button" href={applicationPage(id, 'phones')}>
                  Simulated phones
                </a>
              )}
              <DeleteApplication {...value} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Known(props: ApplicationAnswer & { readonly onChanged: () => void }) {
  const { id, name, devices, labels, providers, webhook, onChanged } = props
  return (
    <Facts
      of={[
        ['ID', <code>{id}</code>],
        ['Devices in any state', count(devices)],
        ['Tags and types', count(labels)],
        ...ALL_PROVIDERS.map((one) => [PROVIDERS[one].name, <ProviderMark provider={providers[one]} />] as const),
        [
          'Webhook',
          <>
            {webhook?.url ?? 'none'}{' '}
            <Opener
              kind="quiet"
              text={webhook === null ? 'Add webhook…' : 'Change webhook…'}
              dialog={(close) => (
                <WebhookForm applications={[{ id, name }]} webhook={webhook} onDone={onChanged} onClose={close} />
              )}
            />
          </>,
        ],
      ]}
    />
  )
}

function Use({ use: { used, quota, endsAt } }: Pick<ApplicationAnswer, 'use'>) {
  if (quota === 0) return <p>{count(used)} calls in this period. There is no quota.</p>
  const sentence = `${count(used)} of ${count(quota)} calls. Resets on ${time(endsAt)}.`
  return (
    <>
      <meter min={0} max={quota} high={quota * 0.8} value={used} aria-label={sentence} />
      <p>{sentence}</p>
    </>
  )
}

function RotateSecret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const overlap = useSignal('86400')
  const created = useSignal<string | null>(null)
  if (created.value !== null) {
    return (
      <Telling title="New secret" button="Done" onClose={onClose}>
        <p>Give it to your backend now. You won’t see it again.</p>
        <Code text={created.value} label="New secret" />
      </Telling>
    )
  }
  return (
    <Asking
      title="Rotate secret"
      submit="Create new secret"
      isDangerous
      onSubmit={async () => {
        const body: RotateSecretRequest = { overlapSeconds: Number(overlap.value) }
        const { secret } = await call<NewSecretAnswer>('POST', applicationCall(id, 'rotate-secret'), { body })
        newSecret.value = { application: id, secret }
        created.value = secret
      }}
      onClose={onClose}
    >
      <p>If you revoke the old secret now, your backend gets 401 until it has the new one.</p>
      <ChoiceField
        label="Old secret"
        {...keptIn(overlap)}
        options={[
          ['86400', 'keeps working for 24 hours'],
          ['604800', 'keeps working for 7 days'],
          ['0', 'revoke now'],
        ]}
      />
    </Asking>
  )
}

function DeleteApplication({ id, name, devices }: ApplicationAnswer) {
  const { route } = useLocation()
  const typed = useSignal('')
  return (
    <Confirming
      text="Delete…"
      title="Delete application"
      submit="Delete"
      onSubmit={async () => {
        await call('DELETE', applicationCall(id), { body: { name: typed.value } })
        route('/applications')
      }}
    >
      <p>
        This deletes <bdi>{name}</bdi> with its {count(devices)} devices, its pushes and its keys. It can only be undone
        from a backup.
      </p>
      <TextField label="Type the application’s name to confirm" {...keptIn(typed)} required />
    </Confirming>
  )
}
