import { useSignal } from '@preact/signals'
import type { DevicesAnswer } from '../../admin/api-types/device-types.ts'
import { useApplication } from '../client/application.ts'
import { call, sentenceOf } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { useReceived } from '../client/live.ts'
import { MAGIC, registerPhone, startOf } from '../client/magic-phones.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { ALL_PLATFORMS, PLATFORMS } from '../client/platforms.ts'
import { useResource } from '../client/resource.ts'
import { ChoiceField, keptIn } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Failed } from '../components/loaded.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { SendLink } from '../components/push/push-table.tsx'
import { SimulatedPhone } from '../components/push/simulated-phone.tsx'
import type { Arrival, Phone } from '../components/push/simulated-phone.tsx'
import { ThisBrowser } from '../components/push/this-browser.tsx'

type Registered = Pick<Phone, 'platform' | 'token'>

const MAX_PHONES = 24

export function PhonesPage() {
  const { id, value: application, reload } = useApplication()
  const isSimulated = application?.simulated ?? false
  const registered = useResource<DevicesAnswer>(applicationCall(id, 'devices'))
  const devices = registered.value?.devices ?? []
  const received = useReceived(isSimulated ? id : null)
  const platform = useSignal<Registered['platform']>('0')
  const answer = useSignal('')
  const times = useSignal('0')
  /** The token of the last one; `''`: none. */
  const added = useSignal('')
  const tapped = useSignal<ReadonlySet<string>>(new Set())
  const problem = useSignal<string | null>(null)
  /** Reports a tap as the app would. `action`: a button; `null`: the notification itself. */
  const report = async (arrival: Arrival, action: string | null): Promise<void> => {
    if (tapped.value.has(keyOfTap(arrival, action))) return
    // With a token, the API counts one open per device.
    const device = devices.find((one) => keyOf(one) === keyOf(arrival))
    try {
      await call('PUT', onBehalf(id, '/stats'), {
        body: {
          platform: arrival.platform,
          ...(action !== null && { event: 'action', action }),
          ...(arrival.push !== null && { id: arrival.push }),
          ...(device !== undefined && { token: device.token }),
        },
      })
      tapped.value = new Set([...tapped.value, keyOfTap(arrival, action)])
      problem.value = null
    } catch (error) {
      problem.value = sentenceOf(error)
    }
  }
  return (
    <Page
      lead="Simulated phones show the last 1,000 pushes. Tap a notification or a button: both count."
      action={<SendLink id={id} />}
      curl={[
        adminCurl('GET', '/simulator/received?after=0'),
        publicCurl({ method: 'PUT', path: '/stats', application: id, body: { platform: '0', id: '…', token: '…' } }),
      ]}
    >
      {application !== null && !isSimulated && (
        <Empty title="Not on the simulator">
          <p>
            <a href={applicationPage(id)}>The application</a> sends to Apple, Google and browsers. Once it uses the
            simulator, its pushes appear here.
          </p>
        </Empty>
      )}
      {isSimulated && (
        <>
          <Failed problem={registered.problem} onRetry={registered.reload} />
          <Notice level="error">{problem.value}</Notice>
          <div class="phones" role="group" aria-label="Simulated phones">
            {phonesOf(devices, received, added.value).map((phone) => (
              <SimulatedPhone
                key={`${phone.platform} ${phone.token}`}
                phone={phone}
                application={application?.name ?? ''}
                isTapped={(arrival, action) => tapped.value.has(keyOfTap(arrival, action))}
                onTap={(arrival, action) => void report(arrival, action)}
              />
            ))}
          </div>
          <Form
            submit="Add phone"
            isQuiet
            onSubmit={async () => {
              added.value = await registerPhone(id, platform.value, startOf(platform.value, answer.value, times.value))
              registered.reload()
            }}
          >
            <h2>Add a phone</h2>
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
              <ChoiceField label="A push to it" {...keptIn(answer)} options={MAGIC[platform.value]} />
              {answer.value !== '' && <ChoiceField label="How often" {...keptIn(times)} options={TIMES} />}
            </div>
          </Form>
        </>
      )}
      {application !== null && <ThisBrowser application={application} onRegistered={reload} />}
    </Page>
  )
}

/** The last one added, then those with arrivals, including those that have unregistered since. */
function phonesOf(registered: readonly Registered[], received: readonly Arrival[], added: string): readonly Phone[] {
  const arrivals = new Map<string, Arrival[]>()
  for (const arrival of received.toReversed()) {
    const key = keyOf(arrival)
    arrivals.set(key, [...(arrivals.get(key) ?? []), arrival])
  }
  const busy = Array.from(arrivals.values(), (all) => ({ ...(all[0] as Arrival), arrivals: all }))
  const idle = registered.filter((device) => !arrivals.has(keyOf(device)))
  const isAdded = ({ token }: Registered): number => Number(token === added)
  return [...busy, ...idle.map((device) => Object.assign({ arrivals: [] }, device))]
    .toSorted((a, b) => isAdded(b) - isAdded(a))
    .slice(0, MAX_PHONES)
}

const TIMES = [
  ['0', 'always'],
  ['1', 'once, then it is accepted'],
  ['3', 'three times, then it is accepted'],
] as const

const keyOfTap = ({ number }: Arrival, action: string | null): string => `${number} ${action ?? ''}`

/** `ReceivedAnswer` shortens tokens, so compare what it leaves. */
function keyOf({ platform, token }: Registered): string {
  const [origin] = /^https:\/\/[^/]+\//.exec(token) ?? []
  if (origin === undefined) return `${platform} ${token.slice(0, 12)}`
  const rest = token.slice(origin.length)
  return `${platform} ${rest.startsWith('…') ? token : `${origin}…${token.slice(-12)}`}`
}
