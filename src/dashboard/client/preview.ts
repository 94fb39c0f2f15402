import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from './call.ts'
import { hasContent, pushBody } from './draft.ts'
import type { Draft } from './draft.ts'
import { onBehalf } from './paths.ts'
import { problemOf } from './push-problem.ts'
import type { PushProblem } from './push-problem.ts'
import type { WrittenPlatform } from './platforms.ts'

/** What a gateway would get. */
export interface PreviewedRequest {
  readonly body: object
  readonly bytes: number
}

export interface PlatformCounts {
  readonly '0': number
  readonly '1': number
  /** Default 0. */
  readonly '2'?: number
}

/** As `POST /push/preview` has it. */
export interface Preview {
  readonly t: number
  readonly platforms: PlatformCounts
  readonly sample: readonly {
    readonly token: string
    readonly platform: WrittenPlatform
    readonly alias: string | null
  }[]
  readonly apns: PreviewedRequest | null
  readonly fcm: PreviewedRequest | null
  /** Not there where the push does not go to browsers. */
  readonly webpush?: PreviewedRequest
  /** Of a push in several languages: each, its own text first. */
  readonly languages?: readonly PreviewedLanguage[]
}

export interface PreviewedLanguage {
  /** Its tag in canonical form; `null`: the push's own text. */
  readonly language: string | null
  readonly t: number
  readonly apns: PreviewedRequest | null
  readonly fcm: PreviewedRequest | null
  readonly webpush?: PreviewedRequest
}

export interface Previewed {
  /** `null`: not known yet. */
  readonly preview: Preview | null
  /** Why it would be refused, as it stands. */
  readonly problem: PushProblem | null
}

/** How long somebody has to pause for the preview to follow. */
const PAUSE_MS = 300

/** Throws what is wrong with it. */
export function askPreview(application: string, draft: Draft, signal?: AbortSignal): Promise<Preview> {
  const body = pushBody(draft)
  return call('POST', onBehalf(application, '/push/preview'), { body, ...(signal !== undefined && { signal }) })
}

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
        const preview = await askPreview(application, draft, stop.signal)
        if (!stop.signal.aborted) state.value = { preview, problem: null }
      } catch (error) {
        if (!stop.signal.aborted) state.value = { preview: null, problem: problemOf(error) }
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
