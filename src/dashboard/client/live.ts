import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PushProgressEvent } from '../../admin/api-types/push-types.ts'
import { comebacks, noteAway } from './call.ts'

/** How far a push is, as it goes; `null`: not told yet. */
export function useProgress(push: string | null): PushProgressEvent | null {
  const progress = useSignal<PushProgressEvent | null>(null)
  useEffect(() => {
    progress.value = null
    if (push === null) return undefined
    const source = new EventSource(`/api/pushes/${encodeURIComponent(push)}/live`)
    source.addEventListener('progress', ({ data }: MessageEvent<string>) => {
      progress.value = JSON.parse(data) as PushProgressEvent
    })
    source.addEventListener('end', () => source.close())
    source.addEventListener('error', () => {
      // One that broke off connects again by itself.
      if (source.readyState === EventSource.CONNECTING) noteAway()
    })
    return () => source.close()
  }, [push, comebacks.value])
  return progress.value
}
