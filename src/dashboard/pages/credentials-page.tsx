import { useSignal } from '@preact/signals'
import type { CredentialView, ProviderState } from '../../admin/api-types/credential-types.ts'
import { useApplication } from '../client/application.ts'
import { call } from '../client/call.ts'
import { adminCurl } from '../client/curl.ts'
import { applicationCall } from '../client/paths.ts'
import { PROVIDERS } from '../client/platforms.ts'
import { Findings, lastCheck } from '../components/credential/credential-card.tsx'
import { credentialSentence, ENVIRONMENTS } from '../components/credential/credential-sentence.ts'
import { CredentialForms } from '../components/credential/credential-forms.tsx'
import { Confirming } from '../components/dialog.tsx'
import { Facts } from '../components/figures.tsx'
import type { Fact } from '../components/figures.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { CopyButton, Page } from '../components/page.tsx'
import { ThisBrowser } from '../components/push/this-browser.tsx'
import { time } from '../components/text.ts'

export function CredentialsPage() {
  const application = useApplication()
  const { id, reload } = application
  const path = applicationCall(id, 'credentials')
  return (
    <Page
      lead="The keys that this application sends with"
      curl={[
        `jq -n --rawfile key AuthKey_ABC123DEFG.p8 '{$key, keyId: "ABC123DEFG", teamId: "DEF123GHIJ", topic: "com.example.shop"}' |\n  ${adminCurl('PUT', `${path}/apns`)} \\\n  -H 'Content-Type: application/json' -d @-`,
        adminCurl('PUT', `${path}/webpush`, { subject: 'mailto:push@shop.example' }),
        adminCurl('POST', `${path}/apns/test`),
      ]}
    >
      <Loaded of={application}>
        {(value) => (
          <>
            {value.simulated && (
              <Notice level="note">
                Phones are simulated and need no key. Browsers get real pushes once there is a key for them.
              </Notice>
            )}
            {value.credentials.length === 0 && (
              <Empty title="No keys yet">
                <p>
                  Apple: a .p8 key, or a .p12 certificate, from Certificates, Identifiers &amp; Profiles, Keys. Google:
                  a JSON file from the Firebase console, Project settings, Service accounts. Browsers: created here,
                  without an account.
                </p>
              </Empty>
            )}
            <div class="cards">
              {value.credentials.map((credential) => (
                <Credential
                  key={credential.provider}
                  id={id}
                  credential={credential}
                  state={value.providers[credential.provider]}
                  onGone={reload}
                />
              ))}
            </div>
            <h2>{value.credentials.length === 0 ? 'Add a key' : 'Add or replace a key'}</h2>
            <CredentialForms application={value} onStored={reload} />
            <ThisBrowser application={value} onRegistered={reload} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface Shown {
  readonly id: string
  readonly credential: CredentialView
  readonly state: ProviderState
  readonly onGone: () => void
}

function Credential({ id, credential, state, onGone }: Shown) {
  const { provider } = credential
  const tests = useSignal(0)
  return (
    <section class="card">
      <h2>{PROVIDERS[provider].name}</h2>
      <p>{credentialSentence({ credential, state, check: lastCheck(id, provider), now: Date.now() })}</p>
      <details>
        <summary>Details</summary>
        <Facts of={[...factsOf(credential), ['Added', time(credential.createdAt)]]} />
      </details>
      <div class="buttons">
        <button type="button" onClick={() => tests.value++}>
          Test now
        </button>
        <Confirming
          text="Remove…"
          title="Remove this key?"
          submit="Remove"
          onSubmit={async () => {
            await call('DELETE', applicationCall(id, 'credentials', provider))
            onGone()
          }}
        >
          <p>Pushes to {PROVIDERS[provider].reached} fail until you add a new one.</p>
        </Confirming>
      </div>
      {tests.value > 0 && <Findings key={tests.value} application={id} provider={provider} />}
    </section>
  )
}

function factsOf(credential: CredentialView): readonly Fact[] {
  switch (credential.kind) {
    case 'service-account':
      return [
        ['Project', credential.projectId],
        ['Account', credential.clientEmail],
      ]
    case 'vapid':
      return [
        [
          'Public key',
          <>
            <code>{credential.publicKey}</code> <CopyButton text={credential.publicKey} label="Copy the public key" />
          </>,
        ],
        ['Contact', credential.subject],
      ]
    case 'key':
      return [['Key ID', credential.keyId], ['Team ID', credential.teamId], ...appleFacts(credential)]
    case 'certificate':
      return [['Certificate until', time(credential.expiresAt)], ...appleFacts(credential)]
  }
}

const appleFacts = ({ topic, environment }: Extract<CredentialView, { provider: 'apns' }>): readonly Fact[] => [
  ['Bundle ID', topic],
  ['Environment', ENVIRONMENTS[environment]],
]
