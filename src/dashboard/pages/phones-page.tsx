import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { call, sentenceOf } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { MAGIC, startOf } from '../client/magic-phones.ts'
import { useReceived } from '../client/received.ts'
import { useResource } from '../client/resource.ts'
import { registerPhone } from '../client/three-phones.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { ChoiceField, keptIn } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { ThisBrowser } from '../components/push/this-browser.tsx'
import { SimulatedPhone } from '../components/push/simulated-phone.tsx'
import type { Arrival, Phone } from '../components/push/simulated-phone.tsx'
import { SendLink } from '../components/push/send-link.tsx'
import { ALL_PLATFORMS, PLATFORMS } from '../client/platforms.ts'

/** As `GET /deviceToken/all` of the public API has it. */
type Registered = Pick<Phone, 'platform' | 'token'>

const MOST_PHONES = 24

/** Phones of the simulator, on which pushes appear as they arrive. */
export function PhonesPage() {
  const id = useRoute().params['id'] ?? ''
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const isSimulated = application.value?.simulated ?? false
  const listed = `/deviceToken/all?limit=${MOST_PHONES}`
  const registered = useResource<readonly Registered[]>(onBehalf(id, listed))
  const received = useReceived(isSimulated ? id : null)
  const platform = useSignal<Registered['platform']>('0')
  const answer = useSignal('')
  const times = useSignal('0')
  const told = useSignal<ReadonlySet<string>>(new Set())
  const problem = useSignal<string | null>(null)
  /** As the app of that phone would. `action`: the button that was chosen; `null`: the notification itself. */
  const report = async (arrival: Arrival, action: string | null): Promise<void> => {
    if (told.value.has(keyOfTap(arrival, action))) return
    // Whose token is known counts once, as an app counts that says which phone has it.
    const device = registered.value?.find((one) => keyOf(one) === keyOf(arrival))
    try {
      await call('PUT', onBehalf(id, '/stats'), {
        body: {
          platform: arrival.platform,
          ...(action !== null && { event: 'action', action }),
          ...(arrival.push !== null && { id: arrival.push }),
          ...(device !== undefined && { token: device.token }),
        },
      })
      told.value = new Set([...told.value, keyOfTap(arrival, action)])
      problem.value = null
    } catch (error) {
      problem.value = sentenceOf(error)
    }
  }
  return (
    <Page
      title="Phones"
      lead="Of the simulator. A tap opens a push, and a button below it is chosen: both are counted."
      above={<ApplicationTabs id={id} name={application.value?.name} />}
      action={<SendLink id={id} />}
      problem={application.problem ?? registered.problem}
      curl={[
        adminCurl('GET', '/simulator/received?after=0'),
        publicCurl({ method: 'PUT', path: '/stats', application: id, body: { platform: '0', id: '…', token: '…' } }),
      ]}
    >
      {application.value !== null && !isSimulated && (
        <Empty title="These are real phones">
          <p>
            <a href={applicationPage(id)}>The application</a> sends to Apple, Google and browsers. On the simulator its
            pushes appear here.
          </p>
        </Empty>
      )}
      {isSimulated && (
        <>
          {problem.value !== null && <Notice level="error">{problem.value}</Notice>}
          <div class="phones" role="group" aria-label="Simulated phones">
            {phonesOf(registered.value ?? [], received).map((phone) => (
              <SimulatedPhone
                key={`${phone.platform} ${phone.token}`}
                phone={phone}
                application={application.value?.name ?? ''}
                isTold={(arrival, action) => told.value.has(keyOfTap(arrival, action))}
                onTap={(arrival, action) => void report(arrival, action)}
              />
            ))}
          </div>
          <Form
            submit="Add the phone"
            isQuiet
            onSubmit={async () => {
              await registerPhone(id, platform.value, startOf(platform.value, answer.value, times.value))
              registered.reload()
            }}
          >
            <h2>One more phone</h2>
            <div class="pair">
              <ChoiceField
                label="Phone"
                value={platform.value}
                onValue={(value) => {
                  platform.value = ALL_PLATFORMS.find((one) => one === value) ?? '0'
                  answer.value = ''
                }}
                options={ALL_PLATFORMS.map((one) => [one, PLATFORMS[one].choice])}
              />
              <ChoiceField label="What is sent to it" {...keptIn(answer)} options={MAGIC[platform.value]} />
              {answer.value !== '' && (
                <ChoiceField
                  label="How often"
                  {...keptIn(times)}
                  options={[
                    ['0', 'always'],
                    ['1', 'once, then it is accepted'],
                    ['3', 'three times, then it is accepted'],
                  ]}
                />
              )}
            </div>
          </Form>
        </>
      )}
      {application.value !== null && <ThisBrowser application={application.value} onRegistered={application.reload} />}
    </Page>
  )
}

/** Those with something new first, then those to which nothing came; also phones that have left since. */
function phonesOf(registered: readonly Registered[], received: readonly Arrival[]): readonly Phone[] {
  const arrivals = new Map<string, Arrival[]>()
  for (const arrival of received.toReversed()) {
    const key = keyOf(arrival)
    arrivals.set(key, [...(arrivals.get(key) ?? []), arrival])
  }
  const busy = Array.from(arrivals.values(), (all) => ({ ...(all[0] as Arrival), arrivals: all }))
  const idle = registered.filter((device) => !arrivals.has(keyOf(device)))
  return [...busy, ...idle.map((device) => Object.assign({ arrivals: [] }, device))].slice(0, MOST_PHONES)
}

/** What was tapped: a notification, or a button of it. */
const keyOfTap = ({ number }: Arrival, action: string | null): string => `${number} ${action ?? ''}`

/** By what is said of a token of what arrived there: as much of it as that, also of a whole one. */
function keyOf({ platform, token }: Registered): string {
  const [origin] = /^https:\/\/[^/]+\//.exec(token) ?? []
  if (origin === undefined) return `${platform} ${token.slice(0, 12)}`
  const rest = token.slice(origin.length)
  return `${platform} ${rest.startsWith('…') ? token : `${origin}…${token.slice(-12)}`}`
}
