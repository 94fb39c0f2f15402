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
import { PROVIDERS } from '../../client/platforms.ts'
import { Form } from '../form.tsx'
import { Notice } from '../notice.tsx'
import type { Check } from './credential-sentence.ts'

interface Tested {
  readonly application: string
  readonly provider: ProviderName
}

interface Props extends Tested {
  readonly label: string
  /** Folds the form. */
  readonly isStored: boolean
  readonly submit?: string
  /** Throws an error naming the missing part. */
  readonly request: () => ApnsCredentialRequest | FcmCredentialRequest | WebPushCredentialRequest
  readonly onStored: () => void
  readonly children: ComponentChildren
}

export function CredentialCard(props: Props) {
  const { application, provider, label, isStored, submit = 'Store and test', request, onStored, children } = props
  const stored = useSignal(0)
  return (
    <section class="card">
      <details open={!isStored}>
        <summary>
          <h2>{isStored ? `Replace the key: ${PROVIDERS[provider].name}` : PROVIDERS[provider].name}</h2>
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

const LEVELS = { ok: 'good', warning: 'warning', failed: 'error', skipped: 'note' } as const

const checks = signal<Readonly<Record<string, Check>>>({})

/** The last check since the page was loaded; `null`: none. */
export function lastCheck(application: Tested['application'], provider: ProviderName): Check | null {
  return checks.value[`${application} ${provider}`] ?? null
}

/** Tests a stored credential once, as `bellhop doctor` does. */
export function Findings({ application, provider }: Tested) {
  const answer = useSignal<CredentialTestAnswer['findings'] | null>(null)
  const problem = useSignal<string | null>(null)
  const isAsked = useSignal(false)
  if (!isAsked.value) {
    isAsked.value = true
    call<CredentialTestAnswer>('POST', applicationCall(application, 'credentials', provider, 'test')).then(
      ({ findings }) => {
        answer.value = findings
        const has = (wanted: string): boolean => findings.some(({ state }) => state === wanted)
        const outcome = has('skipped') ? 'unreached' : has('failed') ? 'refused' : 'works'
        const check = { at: Date.now(), outcome } as const
        checks.value = { ...checks.value, [`${application} ${provider}`]: check }
      },
      (error: unknown) => (problem.value = sentenceOf(error)),
    )
  }
  return (
    <div aria-live="polite">
      <Notice level="error">{problem.value}</Notice>
      {problem.value === null && answer.value === null && <p>Asking {PROVIDERS[provider].asked}…</p>}
      {answer.value?.map(({ state, text, fix }) => (
        <Notice key={text} level={LEVELS[state]}>
          <p>{text}</p>
          {fix !== null && <p>{fix}</p>}
        </Notice>
      ))}
    </div>
  )
}
