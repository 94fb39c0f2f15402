import type { ReceivedAnswer } from '../../../admin/api-types/operation-types.ts'
import { PLATFORMS } from '../../client/platforms.ts'
import type { WrittenPlatform } from '../../client/platforms.ts'
import { tokenPart } from '../text.ts'
import { Clock, Notification } from './lock-screen.tsx'
import type { Shown } from './lock-screen.tsx'

export type Arrival = ReceivedAnswer['received'][number]

export interface Phone {
  readonly platform: WrittenPlatform
  /** Whole, or the part in an arrival. */
  readonly token: string
  /** Newest first. */
  readonly arrivals: readonly Arrival[]
}

interface Props {
  readonly phone: Phone
  readonly application: string
  /** `action`: a button; `null`: the notification itself. */
  readonly isTapped: (arrival: Arrival, action: string | null) => boolean
  readonly onTap: (arrival: Arrival, action: string | null) => void
}

/** Apps define the buttons of their categories. Simulated phones always have these. */
const BUTTONS = ['accept', 'decline']

const ON_SCREEN = 4

export function SimulatedPhone({ phone: { platform, token, arrivals }, application, isTapped, onTap }: Props) {
  const { model, kind } = PLATFORMS[platform]
  const name = `${model} ${tokenPart(token, 8)}`
  const accepted = arrivals.filter(isAccepted)
  const silent = accepted.filter(isSilent)
  const withdrawn = new Set(silent.map(({ withdraws }) => withdraws))
  const shown = accepted
    .filter((one) => !isSilent(one) && (one.push === null || !withdrawn.has(one.push)))
    .slice(0, ON_SCREEN)
  const badge = accepted.find((arrival) => arrival.badge !== null)?.badge ?? 0
  const refused = arrivals.find((arrival) => !isAccepted(arrival))
  const tap = (arrival: Arrival, action: string | null) => ({
    'aria-pressed': isTapped(arrival, action),
    onClick: () => onTap(arrival, action),
  })
  return (
    <figure class={`phone ${kind} dark lit`} role="group" aria-label={name}>
      <div class="screen">
        {kind !== 'web' && <Clock />}
        {shown.map((arrival) => (
          <div key={arrival.number} class="arrival">
            <button type="button" class="tap" {...tap(arrival, null)}>
              <Notification platform={kind} shown={shownOf(arrival, application)} />
            </button>
            {arrival.category !== null && (
              <div class="actions" role="group" aria-label={`Buttons of ${arrival.category}`}>
                {BUTTONS.map((action) => (
                  <button key={action} type="button" {...tap(arrival, action)}>
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
            Refused by the gateway: {refused.reason ?? 'no answer'}
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

/** Push services of browsers answer 201; Apple and Google 200. */
export function isAccepted({ status }: Arrival): boolean {
  return status === 200 || status === 201
}

function isSilent({ title, text }: Arrival): boolean {
  return title === null && text === null
}
