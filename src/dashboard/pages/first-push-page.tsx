import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import type { SamplesAnswer } from '../../admin/api-types/sample-types.ts'
import { secretOf } from '../client/application.ts'
import { call } from '../client/call.ts'
import { publicCurl, publicUrl } from '../client/curl.ts'
import { useProgress, useReceived } from '../client/live.ts'
import { useOnce } from '../client/once.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { filledIn } from '../client/samples.ts'
import { store, stored } from '../client/storage.ts'
import { CredentialForms } from '../components/credential/credential-forms.tsx'
import { AreaField, Choices, keptIn, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Code, Page } from '../components/page.tsx'
import { LockScreen, LockScreens } from '../components/push/lock-screen.tsx'
import { ProgressBar } from '../components/push/progress-bar.tsx'
import { isAccepted } from '../components/push/simulated-phone.tsx'
import { ThisBrowser } from '../components/push/this-browser.tsx'
import { tokenPart } from '../components/text.ts'

export function FirstPushPage() {
  const id = useRoute().params['id'] ?? ''
  const { value: application, problem, reload } = useResource<ApplicationAnswer>(applicationCall(id))
  const title = useSignal('')
  const msg = useSignal('')
  const push = useSignal<string | null>(null)
  const progress = useProgress(push.value)
  const name = application?.name ?? ''
  const hasBrowsers = application?.providers.webpush.simulated === false
  const body = {
    platform: ['0', '1', ...(hasBrowsers ? ['2'] : [])],
    ...(title.value !== '' && { title: title.value }),
    msg: msg.value,
    sound: 'default',
    badge: '+1',
  }
  const headers = useOnce(JSON.stringify([body, push.value]))
  return (
    <Page lead={<bdi>{name}</bdi>} problem={problem}>
      <div class="split">
        <div>
          <Form
            submit={push.value === null ? 'Send' : 'Send another one'}
            label="The push"
            onSubmit={async () => {
              const path = onBehalf(id, '/push/all')
              push.value = (await call<{ id: string }>('POST', path, { body, headers })).id
            }}
          >
            <TextField label="Title" {...keptIn(title)} />
            <AreaField label="Message" {...keptIn(msg)} rows={3} required />
          </Form>
          {application !== null && <ThisBrowser application={application} onRegistered={reload} />}
        </div>
        <aside>
          <LockScreens shown={{ application: name, title: title.value, msg: msg.value }} />
        </aside>
      </div>
      {push.value !== null && (
        <section aria-label="Result">
          <h2>On its way</h2>
          {progress !== null && <ProgressBar progress={progress} />}
          <Phones application={id} name={name} />
          <p>
            <a href={applicationPage(id, 'pushes', push.value)}>Push details</a>,{' '}
            <a href={applicationPage(id, 'phones')}>simulated phones</a>
          </p>
        </section>
      )}
      {progress?.state === 'finished' && <YourTurn id={id} body={body} application={application} />}
    </Page>
  )
}

function Phones({ application, name }: { readonly application: string; readonly name: string }) {
  const received = useReceived(application)
  const latest = new Map(received.filter(isAccepted).map((one) => [one.token, one]))
  const waiting = Math.max(0, 3 - latest.size)
  return (
    <div class="phones" role="group" aria-label="Simulated phones" aria-live="polite">
      {Array.from(latest, ([token, { number, platform, title, text, badge }]) => (
        <LockScreen
          key={`${token} ${number}`}
          platform={PLATFORMS[platform].kind}
          scheme="dark"
          label={`${PLATFORMS[platform].model} ${tokenPart(token, 6)}`}
          shown={{ application: name, title: title ?? '', msg: text ?? '', badge }}
        />
      ))}
      {Array.from({ length: waiting }, (_, at) => (
        <LockScreen key={at} platform="ios" scheme="dark" label="Nothing yet" shown={null} />
      ))}
    </div>
  )
}

interface Turn {
  readonly id: string
  readonly body: object
  readonly application: ApplicationAnswer | null
}

function YourTurn({ id, body, application }: Turn) {
  const url = publicUrl.value
  const samples = useResource<SamplesAnswer>('/api/samples')
  return (
    <section>
      <h2>Your turn</h2>
      <p>The same push from your backend:</p>
      <Code
        text={publicCurl({ method: 'POST', path: '/push/all', application: id, body, secret: secretOf(id) })}
        label="The same as curl"
      />
      <p>What your app does at every launch. Never put the secret into it:</p>
      <Loaded of={samples}>
        {(value) => <Samples of={filledIn(value, { url, application: id })} manual={`${url}/manual`} />}
      </Loaded>
      <h2>Real phones</h2>
      {application !== null && <CredentialForms application={application} />}
    </section>
  )
}

/** Remembered, since an Android developer stays one tomorrow. */
const KEPT = 'bellhop-sample'

function Samples({ of, manual }: { readonly of: SamplesAnswer['samples']; readonly manual: string }) {
  const chosen = useSignal(stored(KEPT))
  const shown = of.find(({ title }) => title === chosen.value) ?? of[0]
  if (shown === undefined) return null
  const { title, page, code } = shown
  return (
    <>
      <Choices
        legend="Your app"
        options={of.map((sample) => [sample.title, sample.title])}
        value={title}
        onValue={(wanted) => {
          chosen.value = wanted
          store(KEPT, wanted)
        }}
      />
      {code.map((text, at) => (
        <Code key={`${title} ${at}`} text={text} label={code.length === 1 ? title : `${title}, part ${at + 1}`} />
      ))}
      <p>
        What else a project needs: <a href={`${manual}/${page}`}>{title} app</a> in the manual.
      </p>
    </>
  )
}
