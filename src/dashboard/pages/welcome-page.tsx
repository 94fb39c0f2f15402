import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { NewApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { call } from '../client/call.ts'
import { newSecret } from '../client/new-secret.ts'
import { applicationPage } from '../client/paths.ts'
import { registerThreePhones } from '../client/three-phones.ts'
import { keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'

/** An application's name, and the first choice: to try it, or in earnest. */
export function WelcomePage() {
  const { route } = useLocation()
  const name = useSignal('')
  const create = async (simulate: boolean): Promise<string> => {
    const made = await call<NewApplicationAnswer>('POST', '/api/applications', { body: { name: name.value, simulate } })
    newSecret.value = { application: made.id, secret: made.secret }
    return made.id
  }
  return (
    <Page title="Your first push" lead="An application is one app of yours, with its phones and its keys.">
      <Form
        submit="Try it with three simulated phones"
        onSubmit={async (button) => {
          const id = await create(button !== 'connect')
          if (button === 'connect') {
            route(applicationPage(id, 'credentials'))
            return
          }
          await registerThreePhones(id)
          route(`/welcome/${encodeURIComponent(id)}`)
        }}
        beside={
          <button type="submit" value="connect">
            Connect Apple / Google
          </button>
        }
      >
        <TextField label="What is your app called?" {...keptIn(name)} placeholder="shop" required />
      </Form>
      <p class="hint">
        The phones are simulated, and all the rest is real: the push goes by TLS and HTTP/2 to stand-ins for Apple and
        Google that are built in. No account is needed. After that a push for real comes to this browser, if you like.
      </p>
    </Page>
  )
}
