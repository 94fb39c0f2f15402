import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ReceivedAnswer } from '../../admin/api-types/operation-types.ts'
import type { PushProgressEvent } from '../../admin/api-types/push-types.ts'
import { call, comebacks, noteAway } from './call.ts'

/** Hears the data of the events of this name in a stream, and `null` before its first one. `path` `null`: no stream. */
export function useEvents(path: string | null, name: string, hear: (data: string | null) => void): void {
  useEffect(() => {
    hear(null)
    if (path === null) return undefined
    const source = new EventSource(path)
    source.addEventListener(name, ({ data }: MessageEvent<string>) => hear(data))
    source.addEventListener('end', () => source.close())
    source.addEventListener('error', () => {
      // The browser connects again by itself.
      if (source.readyState === EventSource.CONNECTING) noteAway()
    })
    return () => source.close()
  }, [path, comebacks.value])
}

/** How far a push is, live; `null`: not known yet. */
export function useProgress(push: string | null): PushProgressEvent | null {
  const progress = useSignal<PushProgressEvent | null>(null)
  useEvents(push === null ? null : `/api/pushes/${encodeURIComponent(push)}/live`, 'progress', (data) => {
    progress.value = data === null ? null : (JSON.parse(data) as PushProgressEvent)
  })
  return progress.value
}

type Received = ReceivedAnswer['received'][number]

/** How often the simulator is asked for arrivals. */
const LOOK_MS = 700

/** What has arrived at the simulated phones of an application; `null`: nobody looks. */
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
        // The banner says that the server is away. Look again later.
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
