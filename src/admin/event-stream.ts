import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'

const LOOK_MS = 500

/** The listener closes a silent connection after 30 s, many proxies after a minute. */
const SILENCE_MS = 15_000

/** All callers together. */
const MAX_STREAMS = 50

/** Reconnect after 2 s. */
const RETRY = 'retry: 2000\n\n'

/** HTML standard, 9.2. `data` has no line breaks. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  readonly id?: number
}

interface Source {
  /** The events since the last call. `isLast`: the stream ends after them. */
  readonly next: () => { readonly events: readonly StreamEvent[]; readonly isLast: boolean }
  readonly isAllowed: () => boolean
  readonly gone: AbortSignal
}

export type EventStreams = ReturnType<typeof createEventStreams>

/** A slow reader costs no memory: its source is polled only when there is room. */
export function createEventStreams({ clock }: { readonly clock: Pick<Clock, 'after' | 'now'> }) {
  const open = new Set<() => void>()

  return {
    /** `null`: too many are open. */
    start({ next, isAllowed, gone }: Source): ReadableStream<Uint8Array> | null {
      if (open.size >= MAX_STREAMS) return null
      const ending = Promise.withResolvers<'ended'>()
      let saidAt = clock.now()
      let head = RETRY
      const end = () => {
        open.delete(end)
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
