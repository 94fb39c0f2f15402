import { useSignal } from '@preact/signals'
import { useLocation, useRoute } from 'preact-iso/router'
import type {
  ApplicationAnswer,
  ApplicationLimits,
  NewSecretAnswer,
  RotateSecretRequest,
} from '../../admin/api-types/application-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { newSecret, secretOf } from '../client/new-secret.ts'
import { applicationCall, applicationPage } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { Asking } from '../components/asking.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ChoiceField, keptIn, TextField } from '../components/field.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { LimitsForm } from '../components/limits-form.tsx'
import { Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { count, time } from '../components/text.ts'
import { SendLink } from '../components/push/send-link.tsx'
import { ProviderMark } from './applications-page.tsx'

type Asked = 'rotate' | 'delete'

/** One application: what it is, its secret, its limits, and its end. */
export function ApplicationPage() {
  const id = useRoute().params['id'] ?? ''
  const path = applicationCall(id)
  const { value, problem, reload } = useResource<ApplicationAnswer>(path)
  const asked = useSignal<Asked | null>(null)
  const close = () => (asked.value = null)
  const secret = secretOf(id)
  return (
    <Page
      title={value?.name ?? 'Application'}
      above={<ApplicationTabs id={id} name={value?.name} />}
      action={<SendLink id={id} />}
      problem={problem}
      curl={[
        adminCurl('GET', path),
        adminCurl('PATCH', path, { rate: 20 }),
        adminCurl('POST', `${path}/rotate-secret`),
      ]}
    >
      {secret !== null && (
        <Notice level="good">
          <p>
            The secret, for your backend. It is shown this once: of what is stored, nobody can read it again. Never put
            it into an app.
          </p>
          <Code text={secret} label="Secret" />
        </Notice>
      )}
      {value !== null && (
        <>
          <Known application={value} />
          <h2>Use</h2>
          <Use use={value.use} />
          <h2>Limits</h2>
          <LimitsForm
            key={JSON.stringify(value.limits)}
            limits={value.limits}
            onSave={async (changed: Partial<ApplicationLimits>) => {
              await call('PATCH', path, { body: changed })
              reload()
            }}
          />
          <h2>Secret and simulator</h2>
          <div class="buttons">
            <button type="button" onClick={() => (asked.value = 'rotate')}>
              New secret …
            </button>
            <SimulatorSwitch application={value} onDone={reload} />
            {value.simulated && (
              <a class="button" href={applicationPage(id, 'phones')}>
                Its phones
              </a>
            )}
            <button type="button" class="danger" onClick={() => (asked.value = 'delete')}>
              Delete …
            </button>
          </div>
        </>
      )}
      {asked.value === 'rotate' && <RotateSecret id={id} onClose={close} />}
      {asked.value === 'delete' && value !== null && <DeleteApplication application={value} onClose={close} />}
    </Page>
  )
}

function Known({ application }: { readonly application: ApplicationAnswer }) {
  const { id, devices, labels, providers, webhook } = application
  return (
    <Facts
      of={[
        ['ID', <code>{id}</code>],
        ['Devices', count(devices)],
        ['Tags and types', count(labels)],
        ['Apple', <ProviderMark provider={providers.apns} />],
        ['Google', <ProviderMark provider={providers.fcm} />],
        ['Browsers', <ProviderMark provider={providers.webpush} />],
        [
          'Webhook',
          <>
            {webhook === null ? 'none' : webhook.url} (<a href="/webhooks">change</a>)
          </>,
        ],
      ]}
    />
  )
}

function Use({ use: { used, quota, endsAt } }: Pick<ApplicationAnswer, 'use'>) {
  if (quota === 0) return <p>{count(used)} calls in this period, without a limit.</p>
  const sentence = `${count(used)} of ${count(quota)} calls; anew from ${time(endsAt)}.`
  return (
    <>
      <meter min={0} max={quota} high={quota * 0.8} value={used} aria-label={sentence} />
      <p>{sentence}</p>
    </>
  )
}

interface Switched {
  readonly application: ApplicationAnswer
  readonly onDone: () => void
}

function SimulatorSwitch({ application: { id, simulated }, onDone }: Switched) {
  return (
    <Form
      isQuiet
      submit={simulated ? 'Take off the simulator' : 'Put on the simulator'}
      onSubmit={async () => {
        await call('POST', applicationCall(id, 'simulate'), { body: { simulate: !simulated } })
        onDone()
      }}
    />
  )
}

function RotateSecret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const overlap = useSignal('86400')
  const made = useSignal<string | null>(null)
  if (made.value !== null) {
    return (
      <Dialog title="The new secret" onClose={onClose}>
        <p>It is shown this once. Give it to your backend now.</p>
        <Code text={made.value} label="New secret" />
        <div class="buttons">
          <button type="button" onClick={onClose}>
            I have it
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Asking
      title="A new secret"
      submit="Make a new secret"
      isDangerous
      onSubmit={async () => {
        const body: RotateSecretRequest = { overlapSeconds: Number(overlap.value) }
        const { secret } = await call<NewSecretAnswer>('POST', applicationCall(id, 'rotate-secret'), { body })
        newSecret.value = { application: id, secret }
        made.value = secret
      }}
      onClose={onClose}
    >
      <p>Where the old one ends at once, your backend is refused until it has the new one.</p>
      <ChoiceField
        label="The old one"
        {...keptIn(overlap)}
        options={[
          ['86400', 'counts for a day more'],
          ['604800', 'counts for a week more'],
          ['0', 'ends at once'],
        ]}
      />
    </Asking>
  )
}

function DeleteApplication({ application, onClose }: { application: ApplicationAnswer; onClose: () => void }) {
  const { route } = useLocation()
  const name = useSignal('')
  return (
    <Asking
      title="Delete the application"
      submit="Delete"
      isDangerous
      onSubmit={async () => {
        await call('DELETE', applicationCall(application.id), { body: { name: name.value } })
        route('/applications')
      }}
      onClose={onClose}
    >
      <p>
        Its {count(application.devices)} devices, its pushes and its keys go with it, and nothing brings them back but a
        backup. Type <bdi>{application.name}</bdi> to go on.
      </p>
      <TextField label="Its name" {...keptIn(name)} required />
    </Asking>
  )
}
