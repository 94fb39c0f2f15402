import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type {
  ApnsCredentialRequest,
  CredentialTestAnswer,
  FcmCredentialRequest,
  ProviderName,
  WebPushCredentialRequest,
} from '../../../admin/api-types/credential-types.ts'
import { call, sentenceOf } from '../../client/call.ts'
import { applicationCall } from '../../client/paths.ts'
import { Form } from '../form.tsx'
import { Notice } from '../notice.tsx'
import type { Check } from './credential-sentence.ts'

interface Tested {
  readonly application: string
  readonly provider: ProviderName
}

interface Props extends Tested {
  readonly title: string
  readonly label: string
  /** One to be replaced: the form is folded. */
  readonly isStored: boolean
  /** Default `Store and test`. */
  readonly submit?: string
  /** What to store. Throws what is missing. */
  readonly request: () => ApnsCredentialRequest | FcmCredentialRequest | WebPushCredentialRequest
  readonly onStored: () => void
  readonly children: ComponentChildren
}

export function CredentialCard(props: Props) {
  const {
    application,
    provider,
    title,
    label,
    isStored,
    submit = 'Store and test',
    request,
    onStored,
    children,
  } = props
  const stored = useSignal(0)
  return (
    <section class="card">
      <details open={!isStored}>
        <summary>
          <h2>{isStored ? `Replace the key: ${title}` : title}</h2>
        </summary>
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
      </details>
      {stored.value > 0 && <Findings key={stored.value} application={application} provider={provider} />}
    </section>
  )
}

const ASKED = { apns: 'Apple', fcm: 'Google', webpush: 'push services' } as const

const LEVELS = { ok: 'good', warning: 'warning', failed: 'error', skipped: 'note' } as const

const checks = signal<Readonly<Record<string, Check>>>({})

/** The last one since the dashboard was loaded; `null`: none. */
export function lastCheck(application: Tested['application'], provider: ProviderName): Check | null {
  return checks.value[`${application} ${provider}`] ?? null
}

/** Asks the gateways once whether a stored credential is valid, as the doctor does. */
export function Findings({ application, provider }: Tested) {
  const answer = useSignal<CredentialTestAnswer['findings'] | null>(null)
  const problem = useSignal<string | null>(null)
  const isAsked = useSignal(false)
  if (!isAsked.value) {
    isAsked.value = true
    call<CredentialTestAnswer>('POST', applicationCall(application, 'credentials', provider, 'test')).then(
      ({ findings }) => {
        answer.value = findings
        const check = { at: Date.now(), isOk: findings.every(({ state }) => state !== 'failed') }
        checks.value = { ...checks.value, [`${application} ${provider}`]: check }
      },
      (error: unknown) => (problem.value = sentenceOf(error)),
    )
  }
  return (
    <div aria-live="polite">
      <Notice level="error">{problem.value}</Notice>
      {problem.value === null && answer.value === null && <p>Asking {ASKED[provider]}…</p>}
      {answer.value?.map(({ state, text, fix }) => (
        <Notice key={text} level={LEVELS[state]}>
          <p>{text}</p>
          {fix !== null && <p>{fix}</p>}
        </Notice>
      ))}
    </div>
  )
}
