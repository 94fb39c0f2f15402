import { useSignal } from '@preact/signals'
import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types.ts'
import { call } from '../client/call.ts'
import { publicCurl } from '../client/curl.ts'
import { pushBody, pushPath } from '../client/draft.ts'
import type { Draft } from '../client/draft.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { usePreview } from '../client/preview.ts'
import type { Preview } from '../client/preview.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { LockScreens } from '../components/lock-screen.tsx'
import { Notice } from '../components/notice.tsx'
import { Code, Page } from '../components/page.tsx'
import { AudienceFields, ContentFields, MoreFields, WhenFields } from '../components/push-fields.tsx'
import { count, plural } from '../components/text.ts'

/** A push as it is written: to how many it would go, how it looks, what is sent; and then it is. */
export function SendPage() {
  const id = useRoute().params['id'] ?? ''
  const { route, query } = useLocation()
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const draft = useSignal<Draft>(query)
  const confirmed = useSignal<Preview | null>(null)
  const { preview, problem } = usePreview(id, draft.value)
  const set = (name: string, value: string): void => {
    draft.value = { ...draft.value, [name]: value }
    const kept = Object.entries(draft.value).filter(([, text]) => text !== '')
    // A link to the push as it stands. The view stays, so the router need not know.
    history.replaceState(null, '', `${location.pathname}?${new URLSearchParams(kept)}`)
  }
  const fields = { draft: draft.value, set }
  const body = bodyOrNull(draft.value)
  const shown = draft.value
  const name = application.value?.name ?? ''

  const send = async (agreed: Preview): Promise<void> => {
    const wanted = pushBody(draft.value)
    const path = pushPath(wanted)
    const mustConfirm = path === '/push/all' && agreed.t > (application.value?.limits.confirmAbove ?? 0)
    const isCounted = mustConfirm && application.value?.limits.confirmAbove !== 0
    const { id: push } = await call<{ id: string }>('POST', onBehalf(id, path), {
      body: isCounted ? { ...wanted, confirm: agreed.t } : wanted,
      headers: { 'idempotency-key': crypto.getRandomValues(new Uint32Array(4)).join('-') },
    })
    route(applicationPage(id, 'pushes', push))
  }

  return (
    <Page
      title="Send"
      above={<ApplicationTabs id={id} name={application.value?.name} />}
      problem={application.problem}
      curl={body === null ? [] : [publicCurl({ method: 'POST', path: pushPath(body), application: id, body })]}
    >
      <div class="split">
        <Form
          submit="Look over and send …"
          label="The push"
          onSubmit={async () => {
            const wanted = pushBody(draft.value)
            confirmed.value = await call<Preview>('POST', onBehalf(id, '/push/preview'), { body: wanted })
          }}
        >
          <ContentFields {...fields} />
          <AudienceFields {...fields} />
          <WhenFields {...fields} />
          <MoreFields {...fields} />
        </Form>
        <aside aria-label="What becomes of it">
          <Audience preview={preview} problem={problem} />
          {shown['silent'] !== 'true' && (
            <LockScreens
              shown={{
                application: name,
                title: shown['title'] ?? '',
                subtitle: shown['subtitle'] ?? '',
                msg: shown['msg'] ?? '',
                hasImage: (shown['image'] ?? '') !== '',
              }}
            />
          )}
          {preview !== null && <Payloads preview={preview} />}
        </aside>
      </div>
      {confirmed.value !== null && (
        <Confirm
          preview={confirmed.value}
          isLater={(shown['send_at'] ?? '') + (shown['send_at_local'] ?? '') !== ''}
          onSend={send}
          onClose={() => (confirmed.value = null)}
        />
      )}
    </Page>
  )
}

function bodyOrNull(draft: Draft): Readonly<Record<string, unknown>> | null {
  try {
    return pushBody(draft)
  } catch {
    // Something is no JSON yet, of which the preview tells.
    return null
  }
}

function Audience({ preview, problem }: { readonly preview: Preview | null; readonly problem: string | null }) {
  return (
    <div aria-live="polite">
      {problem !== null && <Notice level="warning">{problem}</Notice>}
      {preview !== null && (
        <>
          <p>
            To <b>{plural(preview.t, 'device')}</b>: {count(preview.platforms['0'])} iOS,{' '}
            {count(preview.platforms['1'])} Android
          </p>
          {preview.sample.length > 0 && (
            <details>
              <summary>Some of them</summary>
              <ul class="sample">
                {preview.sample.map(({ token, platform, alias }) => (
                  <li key={token}>
                    {platform === '0' ? 'iOS' : 'Android'} <code>{token.slice(0, 12)}…</code> <bdi>{alias}</bdi>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  )
}

function Payloads({ preview: { apns, fcm } }: { readonly preview: Preview }) {
  return (
    <>
      {apns !== null && (
        <details>
          <summary>What Apple gets: {count(apns.bytes)} of 4,096 bytes</summary>
          <Code text={JSON.stringify(apns.body, null, 2)} label="Apple's payload" />
        </details>
      )}
      {fcm !== null && (
        <details>
          <summary>What Google gets: {count(fcm.bytes)} bytes</summary>
          <Code text={JSON.stringify(fcm.body, null, 2)} label="Google's payload" />
        </details>
      )}
    </>
  )
}

interface Confirming {
  readonly preview: Preview
  readonly isLater: boolean
  readonly onSend: (preview: Preview) => Promise<void>
  readonly onClose: () => void
}

function Confirm({ preview, isLater, onSend, onClose }: Confirming) {
  return (
    <Dialog title={isLater ? 'Send it then?' : 'Send it now?'} onClose={onClose}>
      <p>
        {isLater ? 'As of now it would go to ' : 'It goes to '}
        <b>{plural(preview.t, 'device')}</b>: {count(preview.platforms['0'])} iOS, {count(preview.platforms['1'])}{' '}
        Android.
      </p>
      <Form
        submit={isLater ? 'Schedule' : `Send to ${plural(preview.t, 'device')}`}
        onSubmit={() => onSend(preview)}
        beside={
          <button type="button" onClick={onClose}>
            Not yet
          </button>
        }
      />
    </Dialog>
  )
}
