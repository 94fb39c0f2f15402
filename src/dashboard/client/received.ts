import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ReceivedAnswer } from '../../admin/api-types/operation-types.ts'
import { call } from './call.ts'

type Received = ReceivedAnswer['received'][number]

/** How often the simulator is asked while somebody waits for what arrives. */
const LOOK_MS = 700

/** What has arrived at the phones of an application on the simulator; `null`: nobody looks. */
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
        // The page says that the server is away, and the next look finds it again.
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
