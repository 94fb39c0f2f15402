import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, sentenceOf } from './call.ts'
import { hasContent, pushBody } from './draft.ts'
import type { Draft } from './draft.ts'
import { onBehalf } from './paths.ts'

/** As `POST /push/preview` has it. */
export interface Preview {
  readonly t: number
  readonly platforms: Readonly<Record<'0' | '1', number>>
  readonly sample: readonly { readonly token: string; readonly platform: '0' | '1'; readonly alias: string | null }[]
  readonly apns: { readonly headers: object; readonly body: object; readonly bytes: number } | null
  readonly fcm: { readonly body: object; readonly bytes: number } | null
}

export interface Previewed {
  /** `null`: not known yet. */
  readonly preview: Preview | null
  /** Why it would be refused, as it stands. */
  readonly problem: string | null
}

/** How long somebody has to pause for the preview to follow. */
const PAUSE_MS = 300

/** To whom a push would go as it is typed, and what Apple and Google would get; of an empty one nothing is asked. */
export function usePreview(application: string, draft: Draft): Previewed {
  const state = useSignal<Previewed>({ preview: null, problem: null })
  const typed = JSON.stringify(draft)
  useEffect(() => {
    if (!hasContent(draft)) {
      state.value = { preview: null, problem: null }
      return undefined
    }
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        const body = pushBody(draft)
        const preview = await call<Preview>('POST', onBehalf(application, '/push/preview'), {
          body,
          signal: stop.signal,
        })
        if (!stop.signal.aborted) state.value = { preview, problem: null }
      } catch (error) {
        if (!stop.signal.aborted) state.value = { preview: null, problem: sentenceOf(error) }
      }
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [application, typed])
  return state.value
}
