import { useSignal } from '@preact/signals'
import type { ApplicationAnswer } from '../../../admin/api-types/application-types.ts'
import { AreaField, CheckField, keptIn, TextField } from '../field.tsx'
import { CredentialCard } from './credential-card.tsx'

interface Props {
  readonly application: Pick<ApplicationAnswer, 'id' | 'credentials'>
  readonly onStored: () => void
}

/** The key pair that browsers know an application by: made here, or imported; push services are asked about it at once. */
export function WebPushKey({ application: { id, credentials }, onStored }: Props) {
  const there = credentials.find((one) => one.provider === 'webpush')
  const subject = useSignal(there?.subject ?? '')
  const key = useSignal('')
  const isNew = useSignal(false)
  return (
    <CredentialCard
      application={id}
      provider="webpush"
      title="Browsers"
      label="Key for browsers"
      submit={there === undefined && key.value === '' ? 'Make a key and test' : 'Store and test'}
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
        <summary>A key of another service</summary>
        <AreaField
          label="Private key"
          hint="PEM, 43 characters of base64url, or the JSON that web-push prints. The browsers that are subscribed with it can move here."
          {...keptIn(key)}
          rows={3}
          spellcheck={false}
        />
      </details>
      {there !== undefined && (
        <CheckField
          label="Make another key: every browser must subscribe again"
          checked={isNew.value}
          onValue={(value) => (isNew.value = value)}
        />
      )}
    </CredentialCard>
  )
}
