import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ReceivedAnswer } from '../../admin/api-types/operation-types.ts'
import type { PushProgressEvent } from '../../admin/api-types/push-types.ts'
import { call, comebacks, noteAway } from './call.ts'

/** Passes on the data of each event called `name`, and `null` at the start. `path` `null`: no stream. */
export function useEvents(path: string | null, name: string, hear: (data: string | null) => void): void {
  useEffect(() => {
    hear(null)
    if (path === null) return undefined
    const source = new EventSource(path)
    source.addEventListener(name, ({ data }: MessageEvent<string>) => hear(data))
    source.addEventListener('end', () => source.close())
    source.addEventListener('error', () => {
      // The browser reconnects by itself.
      if (source.readyState === EventSource.CONNECTING) noteAway()
    })
    return () => source.close()
  }, [path, comebacks.value])
}

/** `null`: not known yet. */
export function useProgress(push: string | null): PushProgressEvent | null {
  const progress = useSignal<PushProgressEvent | null>(null)
  useEvents(push === null ? null : `/api/pushes/${encodeURIComponent(push)}/live`, 'progress', (data) => {
    progress.value = data === null ? null : (JSON.parse(data) as PushProgressEvent)
  })
  return progress.value
}

type Received = ReceivedAnswer['received'][number]

const LOOK_MS = 700

/** Polls the pushes that arrive at the simulated phones. `application` `null`: no polling. */
export function useReceived(application: string | null): readonly Received[] {
  const received = useSignal<readonly Received[]>([])
  useEffect(() => {
    if (application === null) return undefined
    let last = 0
    let timer = 0
    const stop = new AbortController()
    const look = async (): Promise<void> => {
      try {
        const answer = await call<ReceivedAnswer>('GET', `/simulator/received?after=${last}`, { signal: stop.signal })
        last = answer.last
        const mine = answer.received.filter((one) => one.application === application)
        if (mine.length > 0) received.value = [...received.value, ...mine]
      } catch {
        // The banner says that the server is away.
      }
      if (!stop.signal.aborted) timer = window.setTimeout(() => void look(), LOOK_MS)
    }
    void look()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [application])
  return received.value
}
