import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { LinkAnswer, SessionAnswer } from '../../admin/api-types/session-types.ts'
import { call, sentenceOf, session } from '../client/call.ts'
import { CodeStep } from '../components/code-step.tsx'
import { keptIn, NewPasswordField, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'

const NO_LINK = 'This address contains no link. After a reload, open your link again: it works until it is used.'

/** Opened by a link of `bellhop admin link`: creates an account, or signs in. */
export function SetupPage() {
  const [link, setLink] = useState(takeLink)
  const { route } = useLocation()
  const found = useSignal<LinkAnswer | null>(null)
  const problem = useSignal<string | null>(null)
  const name = useSignal('')
  const password = useSignal('')
  const step = useSignal<string | null>(null)

  const use = async (body: object): Promise<void> => {
    const answer = await call<SessionAnswer>('POST', '/api/link', { body: { link, ...body } })
    if (answer.step === null) enter(answer)
    else step.value = answer.step
  }
  const enter = (answer: SessionAnswer): void => {
    session.value = answer
    route('/', true)
  }
  useEffect(() => {
    // A link that is pasted loads no new page.
    const take = (): void => setLink(takeLink())
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  useEffect(() => {
    found.value = null
    problem.value = link === '' ? NO_LINK : null
    if (link === '') return
    call<LinkAnswer>('POST', '/api/link/look', { body: { link } }).then(
      (answer) => (found.value = answer),
      (error: unknown) => (problem.value = sentenceOf(error)),
    )
  }, [link])

  return (
    <main class="alone" id="content">
      <p class="brand">Bellhop</p>
      {problem.value !== null && (
        <Page title="This link does not work">
          <Notice level="error">{problem.value}</Notice>
          <p>Create a new one on the machine that runs Bellhop:</p>
          <Code text="bellhop admin link" label="Command" />
          <p>
            <a href="/">Sign in</a>
          </p>
        </Page>
      )}
      {step.value !== null && <CodeStep step={step.value} onDone={enter} onCancel={() => route('/', true)} />}
      {step.value === null && found.value?.kind === 'sign-in' && (
        <Page title="Welcome back">
          <Form submit="Sign in" onSubmit={() => use({})}>
            <p>
              You will be signed in as <bdi>{found.value.name}</bdi>. The link works once.
            </p>
          </Form>
        </Page>
      )}
      {found.value?.kind === 'setup' && (
        <Page lead="Create your administrator account.">
          <Form submit="Continue" onSubmit={() => use({ name: name.value, password: password.value })}>
            <TextField label="Your name" {...keptIn(name)} autocomplete="username" required autofocus />
            <NewPasswordField label="Password" password={password} />
          </Form>
        </Page>
      )}
    </main>
  )
}

/** Removes it from the address bar and the history: it grants an account. `''`: there is none. */
function takeLink(): string {
  const given = location.hash.slice(1)
  history.replaceState(null, '', '/setup')
  return given
}
