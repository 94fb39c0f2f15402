import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso/router'
import type { ApplicationAnswer } from '../../admin/api-types/application-types.ts'
import { call, sentenceOf } from '../client/call.ts'
import { adminCurl, publicCurl } from '../client/curl.ts'
import { applicationCall, applicationPage, onBehalf } from '../client/paths.ts'
import { useReceived } from '../client/received.ts'
import { useResource } from '../client/resource.ts'
import { registerPhone } from '../client/three-phones.ts'
import { ApplicationTabs } from '../components/application-tabs.tsx'
import { ChoiceField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { SimulatedPhone } from '../components/simulated-phone.tsx'
import type { Arrival, Phone } from '../components/simulated-phone.tsx'

/** As `GET /deviceToken/all` of the public API has it. */
type Registered = Pick<Phone, 'platform' | 'token'>

const MOST_PHONES = 24

/** What there is in the menu: the platform, and how a token begins for which the simulator does that. */
const KINDS = [
  ['0 ', 'An iPhone that takes everything'],
  ['1 ', 'An Android phone that takes everything'],
  ['0 bad41000', 'An iPhone without the app: Unregistered'],
  ['1 unregistered:', 'An Android phone without the app: UNREGISTERED'],
  ['0 bad40000', 'An iPhone with a bad token: BadDeviceToken'],
  ['0 bad42901', 'An iPhone that is throttled once: TooManyRequests'],
  ['1 internal-1:', 'An Android phone for which Google fails once: INTERNAL'],
] as const

/** Phones of the simulator, on which pushes appear as they arrive. */
export function PhonesPage() {
  const id = useRoute().params['id'] ?? ''
  const application = useResource<ApplicationAnswer>(applicationCall(id))
  const isSimulated = application.value?.simulated ?? false
  const listed = `/deviceToken/all?limit=${MOST_PHONES}`
  const registered = useResource<readonly Registered[]>(onBehalf(id, listed))
  const received = useReceived(isSimulated ? id : null)
  const kind = useSignal<string>(KINDS[0][0])
  const opened = useSignal<ReadonlySet<number>>(new Set())
  const problem = useSignal<string | null>(null)
  const open = async ({ number, push, platform, token }: Arrival): Promise<void> => {
    if (opened.value.has(number)) return
    // Whose token is known counts once, as an app counts that says which phone has it.
    const device = registered.value?.find((one) => one.platform === platform && one.token.startsWith(token))
    try {
      await call('PUT', onBehalf(id, '/stats'), {
        body: { platform, ...(push !== null && { id: push }), ...(device !== undefined && { token: device.token }) },
      })
      opened.value = new Set([...opened.value, number])
      problem.value = null
    } catch (error) {
      problem.value = sentenceOf(error)
    }
  }
  return (
    <Page
      title="Phones"
      lead="Of the simulator. A tap opens a push, which is counted."
      above={<ApplicationTabs id={id} name={application.value?.name} />}
      action={
        <a class="button primary" href={applicationPage(id, 'send')}>
          Send a push
        </a>
      }
      problem={application.problem ?? registered.problem}
      curl={[
        adminCurl('GET', '/simulator/received?after=0'),
        publicCurl({ method: 'PUT', path: '/stats', application: id, body: { platform: '0', id: '…', token: '…' } }),
      ]}
    >
      {application.value !== null && !isSimulated && (
        <Empty title="These are real phones">
          <p>
            <a href={applicationPage(id)}>The application</a> sends to Apple and Google. On the simulator its pushes
            appear here.
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
                opened={opened.value}
                onOpen={(arrival) => void open(arrival)}
              />
            ))}
          </div>
          <Form
            submit="Add the phone"
            isQuiet
            onSubmit={async () => {
              const [platform, start = ''] = kind.value.split(' ')
              await registerPhone(id, platform === '0' ? '0' : '1', start)
              registered.reload()
            }}
          >
            <ChoiceField
              label="One more phone"
              value={kind.value}
              onValue={(value) => (kind.value = value)}
              options={KINDS}
            />
          </Form>
        </>
      )}
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

/** What arrived says of a token its first 12 characters. */
const keyOf = ({ platform, token }: Registered): string => `${platform} ${token.slice(0, 12)}`
