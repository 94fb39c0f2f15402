import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ApplicationAnswer } from '../../../admin/api-types/application-types.ts'
import { call } from '../../client/call.ts'
import { publicUrl } from '../../client/curl.ts'
import { onBehalf } from '../../client/paths.ts'
import { registerThisBrowser, whenArrived, whyNoPushHere } from '../../client/this-browser.ts'
import { Form } from '../form.tsx'
import { Notice } from '../notice.tsx'
import { LockScreen } from './lock-screen.tsx'

interface Props {
  readonly application: ApplicationAnswer
  readonly onRegistered: () => void
}

export function ThisBrowser({ application, onRegistered }: Props) {
  const { id, name } = application
  const page = `${publicUrl.value}/webpush/${encodeURIComponent(id)}`
  const service = useSignal<string | null>(null)
  const arrived = useSignal<{ readonly title: string; readonly msg: string } | null>(null)
  const why = whyNoPushHere()
  useEffect(() => whenArrived(id, ({ title, body = '' }) => (arrived.value = { title, msg: body })), [id])
  return (
    <section class="card apart" aria-label="This browser">
      <h2>A real push, to this browser</h2>
      <p>It needs no account. Your browser will ask for permission to show notifications.</p>
      {why === null ? (
        <Form
          submit="Push to this browser"
          onSubmit={async () => {
            arrived.value = null
            const token = await registerThisBrowser(application)
            onRegistered()
            const push = { token, platform: '2', title: name, msg: 'Hello, this browser.', sound: '', badge: '' }
            await call('POST', onBehalf(id, '/push/one'), { body: push })
            service.value = new URL(token).host
          }}
        />
      ) : (
        <Notice level="note">{why}</Notice>
      )}
      <div aria-live="polite">
        {service.value !== null && arrived.value === null && <p>On its way, through {service.value}…</p>}
        {arrived.value !== null && (
          <>
            <p>Arrived:</p>
            <LockScreen
              platform="web"
              scheme="dark"
              label="This browser"
              shown={{ application: name, ...arrived.value }}
            />
          </>
        )}
      </div>
      {application.providers.webpush.simulated || application.providers.webpush.state === 'none' || (
        <p class="hint">
          For another browser or phone: <a href={page}>{page}</a>. On an iPhone or iPad, add that page to the home
          screen first.
        </p>
      )}
    </section>
  )
}
