import { useSignal } from '@preact/signals'
import type { ApplicationAnswer } from '../../../admin/api-types/application-types.ts'
import type { ApnsCredentialRequest, ApnsEnvironmentName } from '../../../admin/api-types/credential-types.ts'
import { ChoiceField, keptIn, TextField } from '../field.tsx'
import { FileDrop } from '../file-drop.tsx'
import { CredentialCard } from './credential-card.tsx'
import { WebPushKey } from './web-push-key.tsx'

interface Props {
  readonly application: Pick<ApplicationAnswer, 'id' | 'credentials'>
  /** Default: nobody wants to know. */
  readonly onStored?: () => void
}

/** More is no key: that of Apple has 300 bytes, a service account 2,400, a certificate some thousand. */
const MOST_BYTES = 64 * 1024

/** A key or a certificate of Apple's, a service account of Google's, a key for browsers; each is tried at once, and what is found is said. */
export function CredentialForms({ application, onStored = () => {} }: Props) {
  return (
    <div class="cards">
      <AppleKey application={application} onStored={onStored} />
      <GoogleAccount application={application} onStored={onStored} />
      <WebPushKey application={application} onStored={onStored} />
    </div>
  )
}

/** A key, or a certificate with its own: which of them a file is says how it ends. */
const CERTIFICATE = /\.(p12|pfx|pem)$/i

function AppleKey({ application, onStored }: Required<Props>) {
  const bytes = useSignal<Uint8Array | null>(null)
  const file = useSignal<string | null>(null)
  const keyId = useSignal('')
  const teamId = useSignal('')
  const topic = useSignal('')
  const password = useSignal('')
  const environment = useSignal<ApnsEnvironmentName>('auto')
  const isCertificate = CERTIFICATE.test(file.value ?? '')
  const request = (): ApnsCredentialRequest => {
    const content = bytes.value
    if (content === null) throw new Error('Drop the .p8 or .p12 file first.')
    return isCertificate
      ? {
          certificate: btoa(String.fromCharCode(...content)),
          ...(password.value !== '' && { password: password.value }),
          ...(topic.value.trim() !== '' && { topic: topic.value.trim() }),
          environment: environment.value,
        }
      : {
          key: new TextDecoder().decode(content),
          keyId: keyId.value.trim(),
          teamId: teamId.value.trim(),
          topic: topic.value.trim(),
          environment: environment.value,
        }
  }
  return (
    <CredentialCard
      application={application.id}
      provider="apns"
      title="Apple"
      label="Apple's key"
      request={request}
      onStored={() => {
        password.value = ''
        onStored()
      }}
    >
      <FileDrop
        label="Drop the .p8 or .p12 here, or choose it"
        accept=".p8,.p12,.pfx,.pem"
        mostBytes={MOST_BYTES}
        chosen={file.value}
        onFile={(name, content) => {
          file.value = name
          bytes.value = content
          keyId.value = /AuthKey_(\w{10})\.p8$/.exec(name)?.[1] ?? keyId.value
        }}
      />
      {isCertificate ? (
        <TextField
          type="password"
          label="Password of the file"
          hint="Empty: it has none."
          {...keptIn(password)}
          autocomplete="off"
        />
      ) : (
        <>
          <TextField label="Key ID" {...keptIn(keyId)} required />
          <TextField label="Team ID" {...keptIn(teamId)} required />
        </>
      )}
      <TextField
        label="Bundle ID"
        {...(isCertificate && { hint: 'Empty: the one that the certificate names.' })}
        {...keptIn(topic)}
        placeholder="com.example.shop"
        required={!isCertificate}
      />
      <ChoiceField
        label="Environment"
        {...keptIn(environment)}
        options={[
          ['auto', 'Each phone’s own'],
          ['production', 'Production'],
          ['sandbox', 'Sandbox'],
        ]}
      />
    </CredentialCard>
  )
}

function GoogleAccount({ application, onStored }: Required<Props>) {
  const account = useSignal('')
  const file = useSignal<string | null>(null)
  return (
    <CredentialCard
      application={application.id}
      provider="fcm"
      title="Google"
      label="Google's service account"
      request={() => {
        if (account.value === '') throw new Error('Drop the JSON file first.')
        return { serviceAccount: account.value }
      }}
      onStored={onStored}
    >
      <FileDrop
        label="Drop the service account's JSON here, or choose it"
        accept=".json"
        mostBytes={MOST_BYTES}
        chosen={file.value}
        onFile={(name, content) => {
          file.value = name
          account.value = new TextDecoder().decode(content)
        }}
      />
    </CredentialCard>
  )
}
