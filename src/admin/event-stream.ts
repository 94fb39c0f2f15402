import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Actor } from './administrator.ts'
import { createCallerPlaces } from './caller-places.ts'

/** How late a stream notices that its caller was signed out, removed or revoked. */
export const LOOK_MS = 500

/** The listener closes a silent connection after 30 s, many proxies after a minute. */
const SILENCE_MS = 15_000

const STREAMS = { all: 50, each: 20 }

/** Reconnect after 2 s. */
const RETRY = 'retry: 2000\n\n'

/** HTML standard, 9.2. `data` has no line breaks. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  readonly id?: number
}

interface Source {
  readonly by: Actor
  /** The events since the last call. `isLast`: the stream ends after them. */
  readonly next: () => { readonly events: readonly StreamEvent[]; readonly isLast: boolean }
  readonly isAllowed: () => boolean
  readonly gone: AbortSignal
}

export type EventStreams = ReturnType<typeof createEventStreams>

/** A slow reader costs no memory: its source is polled only when there is room. */
export function createEventStreams({ clock }: { readonly clock: Pick<Clock, 'after' | 'now'> }) {
  const open = new Set<() => void>()
  const places = createCallerPlaces(STREAMS)

  return {
    /** `null`: too many are open. */
    start({ by, next, isAllowed, gone }: Source): ReadableStream<Uint8Array> | null {
      const giveBack = places.take(by)
      if (giveBack === null) return null
      const ending = Promise.withResolvers<'ended'>()
      let saidAt = clock.now()
      let head = RETRY
      const end = () => {
        open.delete(end)
        giveBack()
        gone.removeEventListener('abort', end)
        ending.resolve('ended')
      }
      const look = () => {
        try {
          return isAllowed() ? next() : { events: [], isLast: true }
        } catch (error) {
          end()
          throw error
        }
      }
      open.add(end)
      gone.addEventListener('abort', end)

      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          while (open.has(end)) {
            const { events, isLast } = look()
            const isSilent = Math.abs(clock.now() - saidAt) >= SILENCE_MS
            const text = head + events.map(eventText).join('') + (isSilent && events.length === 0 ? ':\n\n' : '')
            if (isLast) end()
            if (text !== '') {
              head = ''
              saidAt = clock.now()
              controller.enqueue(new TextEncoder().encode(text))
              break
            }
            if (open.has(end)) await within(clock, LOOK_MS, ending.promise, 'look')
          }
          // Collects events into one chunk.
          if (open.has(end)) await within(clock, LOOK_MS, ending.promise, 'look')
          else controller.close()
        },
        cancel: end,
      })
    },

    close(): void {
      for (const end of open) end()
    },
  }
}

function eventText({ event, data, id }: StreamEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
}
