import { useSignal } from '@preact/signals'
import type { SessionAnswer } from '../../admin/api-types/session-types.ts'
import { call, session } from '../client/call.ts'
import { CodeStep } from '../components/code-step.tsx'
import { keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Code, Page } from '../components/page.tsx'

/** In place of any page, which appears after signing in. */
export function SignInPage({ isSetUp }: { readonly isSetUp: boolean }) {
  const name = useSignal('')
  const password = useSignal('')
  const step = useSignal<string | null>(null)
  return (
    <main class="alone" id="content">
      <p class="brand">Bellhop</p>
      {step.value !== null ? (
        <CodeStep
          step={step.value}
          onDone={(answer) => (session.value = answer)}
          onCancel={() => (step.value = null)}
        />
      ) : isSetUp ? (
        <Page title="Sign in">
          <Form
            submit="Sign in"
            onSubmit={async () => {
              const body = { name: name.value, password: password.value }
              const answer = await call<SessionAnswer>('POST', '/api/session', { body })
              if (answer.step === null) session.value = answer
              else step.value = answer.step
            }}
          >
            <TextField label="Name" {...keptIn(name)} autocomplete="username" required autofocus />
            <TextField
              label="Password"
              type="password"
              {...keptIn(password)}
              autocomplete="current-password"
              required
            />
          </Form>
          <p class="hint">Forgot it? Create a link that signs you in, on the machine that runs Bellhop:</p>
          <Code text="bellhop admin link NAME" label="Command" />
        </Page>
      ) : (
        <Page title="No administrator yet" lead="The first one signs up with a one-time link.">
          <p>bellhop serve printed it when it started. Or create a new one on the machine that runs Bellhop:</p>
          <Code text="bellhop admin link" label="Command" />
        </Page>
      )}
    </main>
  )
}
