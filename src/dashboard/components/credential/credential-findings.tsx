import { useSignal } from '@preact/signals'
import type { CredentialTestAnswer, ProviderName } from '../../../admin/api-types/credential-types.ts'
import { call, sentenceOf } from '../../client/call.ts'
import { applicationCall } from '../../client/paths.ts'
import { Notice } from '../notice.tsx'

interface Tested {
  readonly application: string
  readonly provider: ProviderName
}

const ASKED = { apns: 'Apple', fcm: 'Google', webpush: 'push services' } as const

const LEVELS = { ok: 'good', warning: 'warning', failed: 'error', skipped: 'note' } as const

/** Asks the gateways whether a credential is right, as the doctor does. */
export function Findings({ application, provider }: Tested) {
  const answer = useSignal<CredentialTestAnswer['findings'] | null>(null)
  const problem = useSignal<string | null>(null)
  const isAsked = useSignal(false)
  if (!isAsked.value) {
    isAsked.value = true
    call<CredentialTestAnswer>('POST', applicationCall(application, 'credentials', provider, 'test')).then(
      ({ findings }) => (answer.value = findings),
      (error: unknown) => (problem.value = sentenceOf(error)),
    )
  }
  return (
    <div aria-live="polite">
      {problem.value !== null && <Notice level="error">{problem.value}</Notice>}
      {problem.value === null && answer.value === null && <p>Asking {ASKED[provider]} …</p>}
      {answer.value?.map(({ state, text, fix }) => (
        <Notice key={text} level={LEVELS[state]}>
          <p>{text}</p>
          {fix !== null && <p>{fix}</p>}
        </Notice>
      ))}
    </div>
  )
}
