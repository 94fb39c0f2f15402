import type { ReceivedAnswer } from '../../../admin/api-types/operation-types.ts'
import { tokenPart } from '../text.ts'
import { Clock, Notification } from './lock-screen.tsx'
import type { Shown } from './lock-screen.tsx'
import { PLATFORMS } from '../../client/platforms.ts'
import type { WrittenPlatform } from '../../client/platforms.ts'

export type Arrival = ReceivedAnswer['received'][number]

export interface Phone {
  readonly platform: WrittenPlatform
  /** The part that what arrives says, or the whole. */
  readonly token: string
  /** What arrived there, the newest first. */
  readonly arrivals: readonly Arrival[]
}

interface Props {
  readonly phone: Phone
  readonly application: string
  /** Whether it was tapped, or a button of it. */
  readonly isTold: (arrival: Arrival, action: string | null) => boolean
  /** `action`: the button; `null`: the notification itself. */
  readonly onTap: (arrival: Arrival, action: string | null) => void
}

/** What a category stands for is the app's own: the simulated one has these buttons for each. */
const BUTTONS = ['accept', 'decline']

/** What a screen has room for. */
const ON_SCREEN = 4

/** A phone of the simulator with what arrived there. A tap on a notification opens it, and counts, as a button does. */
export function SimulatedPhone({ phone: { platform, token, arrivals }, application, isTold, onTap }: Props) {
  const { model, kind } = PLATFORMS[platform]
  const name = `${model} ${tokenPart(token, 8)}`
  const accepted = arrivals.filter(isAccepted)
  const silent = accepted.filter(isSilent)
  const shown = accepted.filter((arrival) => !isSilent(arrival)).slice(0, ON_SCREEN)
  const badge = accepted.find((arrival) => arrival.badge !== null)?.badge ?? 0
  const refused = arrivals.find((arrival) => !isAccepted(arrival))
  return (
    <figure class={`phone ${kind} dark lit`} role="group" aria-label={name}>
      <div class="screen">
        {kind !== 'web' && <Clock />}
        {shown.map((arrival) => (
          <div key={arrival.number} class="arrival">
            <button type="button" class="tap" aria-pressed={isTold(arrival, null)} onClick={() => onTap(arrival, null)}>
              <Notification platform={kind} shown={shownOf(arrival, application)} />
            </button>
            {arrival.category !== null && (
              <div class="actions" role="group" aria-label={`Buttons of ${arrival.category}`}>
                {BUTTONS.map((action) => (
                  <button
                    key={action}
                    type="button"
                    aria-pressed={isTold(arrival, action)}
                    onClick={() => onTap(arrival, action)}
                  >
                    {action}
                  </button>
                ))}
              </div>
            )}
          </div>
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

function shownOf({ title, subtitle, text, badge, hasImage }: Arrival, application: string): Shown {
  return { application, title: title ?? '', subtitle: subtitle ?? '', msg: text ?? '', badge, hasImage }
}

/** Push services create something, and Apple and Google do not. */
export function isAccepted({ status }: Arrival): boolean {
  return status === 200 || status === 201
}

function isSilent({ title, text }: Arrival): boolean {
  return title === null && text === null
}
