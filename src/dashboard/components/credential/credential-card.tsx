import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type {
  ApnsCredentialRequest,
  FcmCredentialRequest,
  ProviderName,
  WebPushCredentialRequest,
} from '../../../admin/api-types/credential-types.ts'
import { call } from '../../client/call.ts'
import { applicationCall } from '../../client/paths.ts'
import { Form } from '../form.tsx'
import { Findings } from './credential-findings.tsx'

interface Props {
  /** Its id. */
  readonly application: string
  readonly provider: ProviderName
  readonly title: string
  /** The form's. */
  readonly label: string
  /** Default `Store and test`. */
  readonly submit?: string
  /** What is stored. Throws what is missing still. */
  readonly request: () => ApnsCredentialRequest | FcmCredentialRequest | WebPushCredentialRequest
  readonly onStored: () => void
  /** The fields. */
  readonly children: ComponentChildren
}

/** Stores one credential, tries it at once, and says what is found. */
export function CredentialCard(props: Props) {
  const { application, provider, title, label, submit = 'Store and test', request, onStored, children } = props
  const stored = useSignal(0)
  return (
    <section class="card">
      <h2>{title}</h2>
      <Form
        submit={submit}
        label={label}
        onSubmit={async () => {
          await call('PUT', applicationCall(application, 'credentials', provider), { body: request() })
          stored.value++
          onStored()
        }}
      >
        {children}
      </Form>
      {stored.value > 0 && <Findings key={stored.value} application={application} provider={provider} />}
    </section>
  )
}
