import { useSignal } from '@preact/signals'
import { useLocation, useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { call } from '../client/call.ts'
import { publicCurl } from '../client/curl.ts'
import { inLanguage, languagesIn, withLanguage, withoutLanguage } from '../client/draft-languages.ts'
import { pushBody, pushPath } from '../client/draft.ts'
import type { Draft } from '../client/draft.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { askPreview, usePreview } from '../client/preview.ts'
import type { Preview } from '../client/preview.ts'
import { problemOf } from '../client/push-problem.ts'
import type { PushProblem } from '../client/push-problem.ts'
import { useResource } from '../client/resource.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { ConfirmPush } from '../components/push/confirm-push.tsx'
import { Form } from '../components/form.tsx'
import { LanguageBar } from '../components/push/language-bar.tsx'
import { LockScreens } from '../components/push/lock-screen.tsx'
import { Page } from '../components/page.tsx'
import { AudienceFields, ContentFields, MoreFields, WhenFields } from '../components/push/push-fields.tsx'
import { fieldsIn, fieldsOf } from '../components/push/push-field.tsx'
import { PreviewedAudience, PreviewedLanguages, PreviewedRequests } from '../components/push/push-preview.tsx'

/** A push as it is written: to how many it would go, how it looks, what is sent; and then it is. */
export function SendPage() {
  const id = useRoute().params['id'] ?? ''
  const { route, query } = useLocation()
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const draft = useSignal<Draft>(query)
  /** Which text the fields and the lock screens have; `null`: the push's own. */
  const language = useSignal<string | null>(null)
  const confirmed = useSignal<Preview | null>(null)
  const refused = useSignal<PushProblem | null>(null)
  const typed = draft.value
  const previewed = usePreview(id, typed)
  const set = (name: string, value: string): void => {
    draft.value = { ...draft.value, [name]: value }
    refused.value = null
    const kept = Object.entries(draft.value).filter(([, text]) => text !== '')
    // A link to the push as it stands. The view stays, so the router need not know.
    history.replaceState(null, '', `${location.pathname}?${new URLSearchParams(kept)}`)
  }
  const languages = Object.keys(languagesIn(typed))
  const chosen = languages.find((tag) => tag === language.value) ?? null
  const choose = (tag: string | null): void => {
    language.value = tag
  }
  const problem = previewed.problem ?? refused.value
  const fields = fieldsOf(typed, set, problem)
  const shown = inLanguage(typed, chosen)
  const body = bodyOrNull(typed)

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
            try {
              confirmed.value = await askPreview(id, draft.value)
            } catch (error) {
              refused.value = problemOf(error)
              throw new Error(refused.value.sentence, { cause: error })
            }
          }}
        >
          {typed['silent'] !== 'true' && (
            <>
              <LanguageBar
                languages={languages}
                chosen={chosen}
                onChoose={choose}
                onAdd={(tag) => {
                  set('languages', withLanguage(draft.value, tag))
                  choose(tag)
                }}
                onRemove={(tag) => set('languages', withoutLanguage(draft.value, tag))}
              />
              <ContentFields
                key={chosen}
                of={chosen === null ? fields : fieldsIn(chosen, fields, problem)}
                instead={chosen === null ? {} : typed}
              />
            </>
          )}
          <AudienceFields of={fields} />
          <WhenFields of={fields} />
          <MoreFields of={fields} />
        </Form>
        <aside aria-label="What becomes of it">
          <PreviewedAudience {...previewed} problem={previewed.problem} />
          {previewed.preview?.languages !== undefined && (
            <PreviewedLanguages languages={previewed.preview.languages} chosen={chosen} onChoose={choose} />
          )}
          {typed['silent'] !== 'true' && (
            <LockScreens
              shown={{
                application: application.value?.name ?? '',
                title: shown['title'] ?? '',
                subtitle: shown['subtitle'] ?? '',
                msg: shown['msg'] ?? '',
                hasImage: (shown['image'] ?? '') !== '',
              }}
            />
          )}
          {previewed.preview !== null && <PreviewedRequests {...requestsIn(previewed.preview, chosen)} />}
        </aside>
      </div>
      {confirmed.value !== null && (
        <ConfirmPush
          preview={confirmed.value}
          isLater={(typed['send_at'] ?? '') + (typed['send_at_local'] ?? '') !== ''}
          onSend={() => send(confirmed.value as Preview)}
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

/** What the gateways get in a language; of a push in one, for the first device of each platform. */
function requestsIn(preview: Preview, language: string | null): Pick<Preview, 'apns' | 'fcm' | 'webpush'> {
  return preview.languages?.find((one) => one.language === language) ?? preview
}
