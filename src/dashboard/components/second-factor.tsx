import { useSignal } from '@preact/signals'
import type {
  RecoveryCodesAnswer,
  SecondFactorAnswer,
  SecondFactorBegunAnswer,
} from '../../admin/api-types/session-types.ts'
import { call } from '../client/call.ts'
import { useResource } from '../client/resource.ts'
import { CodeField } from './code-step.tsx'
import { Form } from './form.tsx'
import { Failed } from './loaded.tsx'
import { Notice } from './notice.tsx'
import { Code } from './page.tsx'

const PATH = '/api/second-factor'

export function SecondFactor({ onChange }: { readonly onChange: () => void }) {
  const state = useResource<SecondFactorAnswer>(PATH)
  const { value, reload } = state
  const begun = useSignal<SecondFactorBegunAnswer | null>(null)
  const codes = useSignal<readonly string[]>([])
  const code = useSignal('')

  /** Shows recovery codes if the answer has any. */
  const change = async (method: string, path: string): Promise<void> => {
    const answer = await call<Partial<RecoveryCodesAnswer> | null>(method, path, { body: { code: code.value } })
    codes.value = answer?.recoveryCodes ?? []
    code.value = ''
    begun.value = null
    reload()
    onChange()
  }
  return (
    <>
      <h3>Second factor</h3>
      <Failed problem={state.problem} onRetry={reload} />
      {codes.value.length > 0 && (
        <Notice level="good">
          <p>If you lose your phone, each of these works once instead of a code. You won’t see them again.</p>
          <Code text={codes.value.join('\n')} label="Recovery codes" />
        </Notice>
      )}
      {value?.isOn === false && begun.value === null && (
        <Form
          isQuiet
          submit="Set up an authenticator app"
          onSubmit={async () => {
            begun.value = await call<SecondFactorBegunAnswer>('POST', PATH)
          }}
        >
          <p>Off: the password alone signs you in.</p>
        </Form>
      )}
      {begun.value !== null && (
        <Form submit="Turn it on" onSubmit={() => change('POST', `${PATH}/confirm`)}>
          <p>Scan this with an authenticator app, or type in the key. Then enter the code.</p>
          <QrCode {...begun.value.qr} />
          <Code text={begun.value.secret} label="Key" />
          <p>
            <a href={begun.value.uri}>Open an app on this device</a>
          </p>
          <CodeField code={code} />
        </Form>
      )}
      {value?.isOn === true && (
        <Form
          isQuiet
          submit="Create new recovery codes"
          onSubmit={(button) => (button === 'off' ? change('DELETE', PATH) : change('POST', `${PATH}/recovery-codes`))}
          beside={
            <button type="submit" class="danger" value="off">
              Turn it off
            </button>
          }
        >
          <p>On: signing in takes a code after the password. Recovery codes left: {value.recoveryCodesLeft}.</p>
          <CodeField code={code} />
        </Form>
      )}
    </>
  )
}

function QrCode({ path, size }: SecondFactorBegunAnswer['qr']) {
  return (
    <svg class="qr" role="img" aria-label="QR code of the key" viewBox={`0 0 ${size} ${size}`}>
      <path d={path} />
    </svg>
  )
}
