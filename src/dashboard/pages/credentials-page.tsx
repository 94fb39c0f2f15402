import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { CredentialView } from '../../admin/api-types/credential-types.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall } from '../client/paths.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { Findings } from '../components/credential/credential-findings.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { CredentialForms } from '../components/credential/credential-forms.tsx'
import { Facts } from '../components/figures.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { ThisBrowser } from '../components/push/this-browser.tsx'
import { time } from '../components/text.ts'

/** The keys by which Apple, Google and browsers know an application. */
export function CredentialsPage() {
  const id = useRoute().params['id'] ?? ''
  const { value, problem, reload } = useResource<ApplicationAnswer>(applicationCall(id))
  const path = applicationCall(id, 'credentials')
  return (
    <Page
      title="Credentials"
      lead="What Apple, Google and browsers know this application by"
      above={<ApplicationTabs id={id} name={value?.name} />}
      problem={problem}
      curl={[
        `jq -n --rawfile key AuthKey_ABC123DEFG.p8 '{$key, keyId: "ABC123DEFG", teamId: "DEF123GHIJ", topic: "com.example.shop"}' |\n  ${adminCurl('PUT', `${path}/apns`)} \\\n  -H 'Content-Type: application/json' -d @-`,
        adminCurl('PUT', `${path}/webpush`, { subject: 'mailto:push@shop.example' }),
        adminCurl('POST', `${path}/apns/test`),
      ]}
    >
      {value?.simulated === true && (
        <Notice level="note">
          This application is on the simulator: what is for phones goes to stand-ins, and needs no key. Take it off
          there to reach real ones. With a key for browsers it reaches those for real, from here too.
        </Notice>
      )}
      {value?.credentials.length === 0 && (
        <Empty title="No key yet">
          <p>
            Apple's is a .p8 file, or a .p12 with a certificate, from Certificates, Identifiers &amp; Profiles, Keys.
            Google's is a JSON file, from the Firebase console, Project settings, Service accounts. That for browsers is
            made here, without an account.
          </p>
        </Empty>
      )}
      <div class="cards">
        {value?.credentials.map((credential) => (
          <Credential key={credential.provider} id={id} credential={credential} onGone={reload} />
        ))}
      </div>
      {value !== null && (
        <>
          <h2>{value.credentials.length === 0 ? 'Add one' : 'Add or replace one'}</h2>
          <CredentialForms application={value} onStored={reload} />
          <ThisBrowser application={value} onRegistered={reload} />
        </>
      )}
    </Page>
  )
}

interface Shown {
  readonly id: string
  readonly credential: CredentialView
  readonly onGone: () => void
}

function Credential({ id, credential, onGone }: Shown) {
  const { provider } = credential
  const tests = useSignal(0)
  return (
    <section class="card">
      <h2>{WHOSE[provider]}</h2>
      <Facts of={factsOf(credential)} />
      <div class="buttons">
        <button type="button" onClick={() => tests.value++}>
          Test now
        </button>
        <Form
          submit="Remove"
          isDangerous
          onSubmit={async () => {
            await call('DELETE', applicationCall(id, 'credentials', provider))
            onGone()
          }}
        />
      </div>
      {tests.value > 0 && <Findings key={tests.value} application={id} provider={provider} />}
    </section>
  )
}

const WHOSE = { apns: 'Apple', fcm: 'Google', webpush: 'Browsers' } as const

function factsOf(credential: CredentialView): readonly (readonly [string, ComponentChildren])[] {
  const since = ['Here since', time(credential.createdAt)] as const
  if (credential.provider === 'fcm') {
    return [['Project', credential.projectId], ['Account', credential.clientEmail], since]
  }
  if (credential.provider === 'webpush') {
    const { publicKey, subject } = credential
    const key = (
      <>
        <code>{publicKey}</code> <CopyButton text={publicKey} label="Copy the public key" />
      </>
    )
    return [['Public key', key], ['Contact', subject], since]
  }
  const place = [['Bundle ID', credential.topic] as const, ['Environment', credential.environment] as const]
  if (credential.kind === 'key') {
    return [['Key ID', credential.keyId], ['Team ID', credential.teamId], ...place, since]
  }
  return [['Certificate until', time(credential.expiresAt)], ...place, since]
}
