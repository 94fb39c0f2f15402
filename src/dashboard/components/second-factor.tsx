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
import { Notice } from './notice.tsx'
import { Code } from './page.tsx'

/** Whether a code is asked for when one signs in, and turning that on and off. */
export function SecondFactor({ onChange }: { readonly onChange: () => void }) {
  const { value, problem, reload } = useResource<SecondFactorAnswer>('/api/second-factor')
  const begun = useSignal<SecondFactorBegunAnswer | null>(null)
  const codes = useSignal<readonly string[]>([])
  const code = useSignal('')

  /** What changes it: `made` are recovery codes to show. */
  const changed = (made: readonly string[]): void => {
    codes.value = made
    code.value = ''
    begun.value = null
    reload()
    onChange()
  }
  return (
    <>
      <h3>Second factor</h3>
      {problem !== null && <Notice level="error">{problem}</Notice>}
      {codes.value.length > 0 && (
        <Notice level="good">
          <p>If the phone is lost, each of these works once instead of a code. They are not shown again.</p>
          <Code text={codes.value.join('\n')} label="Recovery codes" />
        </Notice>
      )}
      {value?.isOn === false && begun.value === null && (
        <Form
          isQuiet
          submit="Set up an authenticator app"
          onSubmit={async () => {
            begun.value = await call<SecondFactorBegunAnswer>('POST', '/api/second-factor')
          }}
        >
          <p>Off: the password alone signs you in.</p>
        </Form>
      )}
      {begun.value !== null && (
        <Form
          submit="Turn it on"
          onSubmit={async () => {
            const body = { code: code.value }
            changed((await call<RecoveryCodesAnswer>('POST', '/api/second-factor/confirm', { body })).recoveryCodes)
          }}
        >
          <p>Scan this with an authenticator app, or type the key into it. Then enter a code that it shows.</p>
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
          submit="Make new recovery codes"
          onSubmit={async (button) => {
            const body = { code: code.value }
            if (button === 'off') {
              await call('DELETE', '/api/second-factor', { body })
              changed([])
            } else {
              const made = await call<RecoveryCodesAnswer>('POST', '/api/second-factor/recovery-codes', { body })
              changed(made.recoveryCodes)
            }
          }}
          beside={
            <button type="submit" class="danger" value="off">
              Turn it off
            </button>
          }
        >
          <p>On: sign-in asks for a code after the password. Recovery codes left: {value.recoveryCodesLeft}.</p>
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
