import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import type { NewApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { newSecret } from '../client/application.ts'
import { call } from '../client/call.ts'
import { registerThreePhones } from '../client/magic-phones.ts'
import { applicationPage } from '../client/paths.ts'
import { keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Page } from '../components/page.tsx'

export function WelcomePage() {
  const { route } = useLocation()
  const name = useSignal('')
  const create = async (simulate: boolean): Promise<string> => {
    const body = { name: name.value, simulate }
    const { id, secret } = await call<NewApplicationAnswer>('POST', '/api/applications', { body })
    newSecret.value = { application: id, secret }
    return id
  }
  return (
    <Page title="Your first push" lead="An application is one of your apps, with its devices and keys.">
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
      <p class="hint">Simulated phones need no account. After that you can send a real push to this browser.</p>
    </Page>
  )
}
