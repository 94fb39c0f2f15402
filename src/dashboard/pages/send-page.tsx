import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useApplication } from '../client/application.ts'
import { settled, withAudience } from '../client/audience.ts'
import { call } from '../client/call.ts'
import { publicCurl } from '../client/curl.ts'
import { inLanguage, languageName, languagesIn, withLanguage, withoutLanguage } from '../client/draft-languages.ts'
import { hasContent, pushBody, pushPath } from '../client/draft.ts'
import type { Draft } from '../client/draft.ts'
import { useOnce } from '../client/once.ts'
import { applicationPage, onBehalf } from '../client/paths.ts'
import { askPreview, usePreview } from '../client/preview.ts'
import type { Preview, PreviewedLanguage } from '../client/preview.ts'
import { problemOf } from '../client/push-problem.ts'
import type { PushProblem } from '../client/push-problem.ts'
import { Asking, Telling } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { AudienceFields } from '../components/push/audience-fields.tsx'
import { AddLanguage, LanguageChoice } from '../components/push/language-bar.tsx'
import { LockScreens } from '../components/push/lock-screen.tsx'
import { ContentFields, fieldsIn, fieldsOf, MoreFields, WhenFields } from '../components/push/push-fields.tsx'
import { PassedZones, platformsOf, PreviewedLanguages, PreviewedRequests } from '../components/push/push-preview.tsx'
import { clock, count, plural, time } from '../components/text.ts'

export function SendPage() {
  const { id, value: application } = useApplication()
  const { route } = useLocation()
  // Not the router's query: it doesn't know what `become` writes.
  const draft = useSignal(settled(Object.fromEntries(new URLSearchParams(location.search))))
  /** Language of the texts on screen; `null`: the push's own. */
  const language = useSignal<string | null>(null)
  const confirmed = useSignal<Preview | null>(null)
  const refused = useSignal<PushProblem | null>(null)
  const typed = draft.value
  const previewed = usePreview(id, typed)
  const headers = useOnce(JSON.stringify(typed))
  const become = (changed: Draft): void => {
    draft.value = changed
    refused.value = null
    const kept = Object.entries(draft.value).filter(([, text]) => text !== '')
    // Makes the address a link to this push, without the router: it would remount the page.
    history.replaceState(null, '', `${location.pathname}?${new URLSearchParams(kept)}`)
  }
  const set = (name: string, value: string): void => become({ ...draft.value, [name]: value })
  const languages = Object.keys(languagesIn(typed))
  const chosen = languages.find((tag) => tag === language.value) ?? null
  const choose = (tag: string | null): void => void (language.value = tag)
  const problem = previewed.problem ?? refused.value
  const fields = fieldsOf(typed, set, problem)
  const shown = inLanguage(typed, chosen)
  const body = bodyOrNull(typed)
  const isSilent = typed['silent'] === 'true'

  const send = async (agreed: Preview): Promise<void> => {
    const wanted = pushBody(draft.value)
    const path = pushPath(wanted)
    const confirmAbove = application?.limits.confirmAbove ?? 0
    const isCounted = path === '/push/all' && confirmAbove !== 0 && agreed.t > confirmAbove
    const { id: push } = await call<{ id: string }>('POST', onBehalf(id, path), {
      body: isCounted ? { ...wanted, confirm: agreed.t } : wanted,
      headers,
    })
    route(applicationPage(id, 'pushes', push))
  }

  return (
    <Page curl={body === null ? [] : [publicCurl({ method: 'POST', path: pushPath(body), application: id, body })]}>
      <div class="split">
        <Form
          submit="Review and send…"
          label="The push"
          onSubmit={async () => {
            try {
              confirmed.value = await askPreview(id, draft.value)
            } catch (error) {
              refused.value = problemOf(error)
            }
          }}
        >
          {!isSilent && (
            <>
              <LanguageChoice
                languages={languages}
                chosen={chosen}
                onChoose={choose}
                onRemove={(tag) => set('languages', withoutLanguage(draft.value, tag))}
              />
              <ContentFields
                key={chosen}
                of={chosen === null ? fields : fieldsIn(chosen, fields, problem)}
                instead={chosen === null ? {} : typed}
              />
              <AddLanguage
                languages={languages}
                onAdd={(tag) => {
                  set('languages', withLanguage(draft.value, tag))
                  choose(tag)
                }}
              />
            </>
          )}
          <AudienceFields
            application={id}
            of={fields}
            previewed={previewed}
            onSegment={(audience) => become(withAudience(draft.value, audience))}
          />
          <WhenFields of={fields} />
          <MoreFields of={fields} />
          <Notice level="error">{refused.value?.sentence ?? null}</Notice>
        </Form>
        <aside aria-label="Preview">
          {previewed.preview?.languages !== undefined && (
            <PreviewedLanguages languages={previewed.preview.languages} chosen={chosen} onChoose={choose} />
          )}
          {!isSilent && (
            <LockScreens
              shown={{
                application: application?.name ?? '',
                title: shown['title'] ?? '',
                subtitle: shown['subtitle'] ?? '',
                msg: shown['msg'] ?? '',
                hasImage: (shown['image'] ?? '') !== '',
              }}
            />
          )}
          {previewed.preview !== null && hasContent(typed) && (
            <PreviewedRequests {...requestsIn(previewed.preview, chosen)} />
          )}
        </aside>
      </div>
      {confirmed.value !== null && (
        <ConfirmPush preview={confirmed.value} draft={typed} onSend={send} onClose={() => (confirmed.value = null)} />
      )}
    </Page>
  )
}

/** `null`: a field has invalid JSON. The preview says so. */
function bodyOrNull(draft: Draft): Readonly<Record<string, unknown>> | null {
  try {
    return pushBody(draft)
  } catch {
    return null
  }
}

/** In a push with one language: for the first device of each platform. */
function requestsIn(preview: Preview, language: string | null): Pick<PreviewedLanguage, 'apns' | 'fcm' | 'webpush'> {
  return preview.languages?.find((one) => one.language === language) ?? preview
}

interface ConfirmProps {
  readonly preview: Preview
  readonly draft: Draft
  readonly onSend: (agreed: Preview) => Promise<void>
  readonly onClose: () => void
}

function ConfirmPush({ preview, draft, onSend, onClose }: ConfirmProps) {
  const { t, platforms, passed, languages = [] } = preview
  const when = whenIn(draft)
  if (t === 0 && when === null) {
    return (
      <Telling title="No device would get this push" button="Change the audience" onClose={onClose}>
        <p>No registered device matches the audience, so nothing was sent.</p>
      </Telling>
    )
  }
  return (
    <Asking
      title={when === null ? 'Send this push now?' : 'Schedule this push?'}
      submit={when === null ? `Send to ${plural(t, 'device')}` : 'Schedule'}
      onSubmit={() => onSend(preview)}
      onClose={onClose}
    >
      {when !== null && <p>{when}</p>}
      <PassedZones of={passed} />
      {t === 0 ? (
        <Notice level="warning">
          <p>No device matches the audience now. It goes to those that match at that time.</p>
        </Notice>
      ) : (
        <p>
          {when === null ? 'It goes to ' : 'If it were sent now, it would go to '}
          <b>{plural(t, 'device')}</b>: {platformsOf(platforms)}.
        </p>
      )}
      {languages.length > 0 && (
        <ul>
          {languages.map((one) => (
            <li key={one.language}>
              {languageName(one.language)}: {count(one.t)}
            </li>
          ))}
        </ul>
      )}
    </Asking>
  )
}

/** `null`: now. */
function whenIn({ send_at: at = '', send_at_local: local = '' }: Draft): string | null {
  if (local !== '') return `Each device gets it when its own clock shows ${clock(local)}.`
  return at === '' ? null : `It goes out on ${time(new Date(at).toISOString())}.`
}
