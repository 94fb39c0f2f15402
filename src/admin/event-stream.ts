import { within } from '../clock.ts'
import type { Clock } from '../clock.ts'

/** How often it is looked for what is new. */
const LOOK_MS = 500

/** A connection on which nothing comes is closed by the listener after 30 s, and by many a proxy after a minute. */
const SILENCE_MS = 15_000

/** Open at once, of everybody together: each costs a look twice a second. */
const MAX_STREAMS = 50

/** After how long a page connects again. */
const RETRY = 'retry: 2000\n\n'

/** One server-sent event (HTML standard, 9.2); `data` has no line breaks. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  readonly id?: number
}

interface Source {
  /** What has come since the last look. `isLast`: the stream ends with these. */
  readonly next: () => { readonly events: readonly StreamEvent[]; readonly isLast: boolean }
  /** Whether whoever looks may still do so. */
  readonly isAllowed: () => boolean
  /** The caller has gone. */
  readonly gone: AbortSignal
}

export type EventStreams = ReturnType<typeof createEventStreams>

/**
 * Streams of server-sent events, a bounded number. Who reads slowly is not waited for: what is sent is taken from the
 * source only when there is room for more.
 */
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
      /** What has come; a source that fails ends its stream. */
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
          // Without a pause what is new would go out one by one, as fast as it comes.
          if (open.has(end)) await within(clock, LOOK_MS, ending.promise, 'look')
          else controller.close()
        },
        cancel: end,
      })
    },

    /** Ends all of them. */
    close(): void {
      for (const end of open) end()
    },
  }
}

function eventText({ event, data, id }: StreamEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
}
