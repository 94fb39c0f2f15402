import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { SessionAnswer } from '../../admin/api-types/session-types.ts'
import { call } from '../client/call.ts'
import { keptIn, TextField } from './field.tsx'
import { Form } from './form.tsx'
import { Code, Page } from './page.tsx'

interface Props {
  readonly step: string
  readonly onDone: (session: SessionAnswer) => void
  readonly onCancel: () => void
}

export function CodeStep({ step, onDone, onCancel }: Props) {
  const code = useSignal('')
  return (
    <Page title="Sign in" lead="Your second factor">
      <Form
        submit="Sign in"
        onSubmit={async () => {
          onDone(await call<SessionAnswer>('POST', '/api/session/code', { body: { step, code: code.value } }))
        }}
        beside={
          <button type="button" class="quiet" onClick={onCancel}>
            Start again
          </button>
        }
      >
        <CodeField code={code} autofocus />
      </Form>
      <p class="hint">Lost both? Remove the second factor on the machine that runs Bellhop:</p>
      <Code text="bellhop admin reset NAME" label="Command" />
    </Page>
  )
}

interface CodeFieldProps {
  readonly code: Signal<string>
  readonly autofocus?: boolean
}

export function CodeField({ code, autofocus = false }: CodeFieldProps) {
  return (
    <TextField
      label="Code"
      hint="The 6 digits from your authenticator app, or a recovery code."
      {...keptIn(code)}
      autocomplete="one-time-code"
      spellcheck={false}
      autofocus={autofocus}
      required
    />
  )
}
