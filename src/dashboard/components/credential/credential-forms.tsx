import { useSignal } from '@preact/signals'
import type { ApplicationAnswer } from '../../../admin/api-types/application-types.ts'
import type {
  ApnsCredentialRequest,
  ApnsEnvironmentName,
  ProviderName,
} from '../../../admin/api-types/credential-types.ts'
import { AreaField, CheckField, checkedIn, ChoiceField, keptIn, TextField } from '../field.tsx'
import { Notice } from '../notice.tsx'
import { CredentialCard } from './credential-card.tsx'

interface Props {
  readonly application: Pick<ApplicationAnswer, 'id' | 'credentials'>
  readonly onStored?: () => void
}

export function CredentialForms({ application, onStored = () => {} }: Props) {
  return (
    <div class="cards">
      <AppleKey application={application} onStored={onStored} />
      <GoogleAccount application={application} onStored={onStored} />
      <WebPushKey application={application} onStored={onStored} />
    </div>
  )
}

/** Files with a certificate and its key. Other files are signing keys. */
const CERTIFICATE = /\.(p12|pfx|pem)$/i

const hasKey = ({ credentials }: Props['application'], provider: ProviderName): boolean =>
  credentials.some((one) => one.provider === provider)

function AppleKey({ application, onStored }: Required<Props>) {
  const file = useSignal<ChosenFile | null>(null)
  const keyId = useSignal('')
  const teamId = useSignal('')
  const topic = useSignal('')
  const password = useSignal('')
  const environment = useSignal<ApnsEnvironmentName>('auto')
  const isCertificate = CERTIFICATE.test(file.value?.name ?? '')
  const request = (): ApnsCredentialRequest => {
    if (file.value === null) throw new Error('Drop the .p8 or .p12 file first.')
    const { bytes } = file.value
    return isCertificate
      ? {
          certificate: btoa(String.fromCharCode(...bytes)),
          ...(password.value !== '' && { password: password.value }),
          ...(topic.value.trim() !== '' && { topic: topic.value.trim() }),
          environment: environment.value,
        }
      : {
          key: new TextDecoder().decode(bytes),
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
      label="Apple's key"
      isStored={hasKey(application, 'apns')}
      request={request}
      onStored={() => {
        password.value = ''
        onStored()
      }}
    >
      <FileDrop
        label="Drop the .p8 or .p12 file here, or choose it"
        accept=".p8,.p12,.pfx,.pem"
        chosen={file.value}
        onFile={(chosen) => {
          file.value = chosen
          keyId.value = /AuthKey_(\w{10})\.p8$/.exec(chosen.name)?.[1] ?? keyId.value
        }}
      />
      {isCertificate ? (
        <TextField
          type="password"
          label="File password"
          hint="Leave empty if there is none."
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
        {...(isCertificate && { hint: 'Leave empty for the one in the certificate.' })}
        {...keptIn(topic)}
        placeholder="com.example.shop"
        required={!isCertificate}
      />
      <ChoiceField
        label="Environment"
        {...keptIn(environment)}
        options={[
          ['auto', 'Automatic, for each device'],
          ['production', 'Production'],
          ['sandbox', 'Sandbox'],
        ]}
      />
    </CredentialCard>
  )
}

function GoogleAccount({ application, onStored }: Required<Props>) {
  const file = useSignal<ChosenFile | null>(null)
  return (
    <CredentialCard
      application={application.id}
      provider="fcm"
      label="Google's service account"
      isStored={hasKey(application, 'fcm')}
      request={() => {
        if (file.value === null) throw new Error('Drop the JSON file first.')
        return { serviceAccount: new TextDecoder().decode(file.value.bytes) }
      }}
      onStored={onStored}
    >
      <FileDrop
        label="Drop the service account's JSON file here, or choose it"
        accept=".json"
        chosen={file.value}
        onFile={(chosen) => (file.value = chosen)}
      />
    </CredentialCard>
  )
}

function WebPushKey({ application: { id, credentials }, onStored }: Required<Props>) {
  const stored = credentials.find((one) => one.provider === 'webpush')
  const subject = useSignal(stored?.subject ?? '')
  const key = useSignal('')
  const isNew = useSignal(false)
  return (
    <CredentialCard
      application={id}
      provider="webpush"
      label="Key for browsers"
      isStored={stored !== undefined}
      submit={stored === undefined && key.value === '' ? 'Create a key and test' : 'Store and test'}
      request={() => ({
        subject: subject.value.trim(),
        ...(key.value.trim() !== '' && { key: key.value.trim() }),
        ...(isNew.value && { new: true }),
      })}
      onStored={() => {
        key.value = ''
        isNew.value = false
        onStored()
      }}
    >
      <TextField
        label="Contact"
        hint="Where push services reach you: mailto: or https:, at a public domain"
        {...keptIn(subject)}
        placeholder="mailto:push@shop.example"
        required
      />
      <details>
        <summary>Import a key from another service</summary>
        <AreaField
          label="Private key"
          hint="PEM, 43 characters of base64url, or the JSON that web-push prints. Browsers subscribed with it can move here."
          {...keptIn(key)}
          rows={3}
          spellcheck={false}
        />
      </details>
      {stored !== undefined && (
        <CheckField label="Replace the key: every browser must subscribe again" {...checkedIn(isNew)} />
      )}
    </CredentialCard>
  )
}

interface ChosenFile {
  readonly name: string
  readonly bytes: Uint8Array
}

interface FileDropProps {
  readonly label: string
  readonly accept: string
  readonly chosen: ChosenFile | null
  readonly onFile: (file: ChosenFile) => void
}

/** Apple's keys have 300 bytes, service accounts 2,400, certificates a few thousand. */
const MAX_KEY_BYTES = 64 * 1024

/** Hands the bytes to the form and uploads nothing. */
function FileDrop({ label, accept, chosen, onFile }: FileDropProps) {
  const isOver = useSignal(false)
  const problem = useSignal<string | null>(null)
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    problem.value = file.size > MAX_KEY_BYTES ? `${file.name} has ${file.size} bytes. That is not a key.` : null
    if (problem.value === null) onFile({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })
  }
  return (
    <>
      <label
        class={`drop${isOver.value ? ' over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          void take(event.dataTransfer?.files[0])
        }}
      >
        {chosen?.name ?? label}
        <input
          class="unseen"
          type="file"
          accept={accept}
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
      </label>
      <Notice level="error">{problem.value}</Notice>
    </>
  )
}
