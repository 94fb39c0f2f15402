import type { ReceivedAnswer } from '../../admin/api-types/operation-types.ts'
import { Notification } from './lock-screen.tsx'

export type Arrival = ReceivedAnswer['received'][number]

export interface Phone {
  readonly platform: '0' | '1' | '2'
  /** Its first characters. */
  readonly token: string
  /** What arrived there, the newest first. */
  readonly arrivals: readonly Arrival[]
}

interface Props {
  readonly phone: Phone
  readonly application: string
  /** Numbers of the arrivals that were tapped. */
  readonly opened: ReadonlySet<number>
  readonly onOpen: (arrival: Arrival) => void
}

const MODELS = { '0': 'iPhone', '1': 'Android', '2': 'Browser' }

/** What a screen has room for. */
const ON_SCREEN = 4

/** A phone of the simulator with what arrived there. A tap on a notification opens it, and counts. */
export function SimulatedPhone({ phone: { platform, token, arrivals }, application, opened, onOpen }: Props) {
  const name = `${MODELS[platform]} ${token.slice(0, 8)}…`
  const kind = platform === '0' ? 'ios' : 'android'
  const accepted = arrivals.filter(({ status }) => status === 200)
  const silent = accepted.filter(isSilent)
  const shown = accepted.filter((arrival) => !isSilent(arrival)).slice(0, ON_SCREEN)
  const badge = accepted.find((arrival) => arrival.badge !== null)?.badge ?? 0
  const refused = arrivals.find(({ status }) => status !== 200)
  return (
    <figure class={`phone ${kind} dark lit`} role="group" aria-label={name}>
      <div class="screen">
        <p class="clock" aria-hidden="true">
          9:41
        </p>
        {shown.map((arrival) => (
          <button
            key={arrival.number}
            type="button"
            class="tap"
            aria-pressed={opened.has(arrival.number)}
            onClick={() => onOpen(arrival)}
          >
            <Notification
              platform={kind}
              shown={{ application, title: arrival.title ?? '', msg: arrival.text ?? '', badge: arrival.badge }}
            />
          </button>
        ))}
      </div>
      <figcaption>
        {name}, badge {badge}
        {refused !== undefined && (
          <>
            <br />
            The gateway refused: {refused.reason ?? 'no answer'}
          </>
        )}
      </figcaption>
      {silent.length > 0 && (
        <details>
          <summary>{silent.length} silent</summary>
          <ul class="sample">
            {silent.map(({ number, at }) => (
              <li key={number}>{new Date(at).toLocaleTimeString()}</li>
            ))}
          </ul>
        </details>
      )}
    </figure>
  )
}

function isSilent({ title, text }: Arrival): boolean {
  return title === null && text === null
}
