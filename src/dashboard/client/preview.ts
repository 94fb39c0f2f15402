import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AnswerOf } from '../../http/answer-schema.ts'
import type { PREVIEW } from '../../push/preview/preview-schema.ts'
import { call } from './call.ts'
import { audienceOf, isNarrowed } from './audience.ts'
import { hasContent, pushBody } from './draft.ts'
import type { Draft } from './draft.ts'
import { onBehalf } from './paths.ts'
import { problemOf } from './push-problem.ts'
import type { PushProblem } from './push-problem.ts'

/** The answer of `POST /push/preview`. */
export type Preview = AnswerOf<typeof PREVIEW>

export type PreviewedLanguage = NonNullable<Preview['languages']>[number]

export type PreviewedRequest = NonNullable<PreviewedLanguage['apns']>

export interface Previewed {
  readonly preview: Preview | null
  readonly problem: PushProblem | null
}

/** Pause in typing before the preview is requested. */
const PAUSE_MS = 300

export function askPreview(application: string, draft: Draft, signal?: AbortSignal): Promise<Preview> {
  const body = pushBody(draft)
  return call('POST', onBehalf(application, '/push/preview'), { body, ...(signal !== undefined && { signal }) })
}

/** A push without a text is previewed as a silent one, to count its audience. */
function countable(draft: Draft): Draft | null {
  if (hasContent(draft)) return draft
  return isNarrowed(draft) ? { ...audienceOf(draft), silent: 'true' } : null
}

/** Follows the draft as it is typed. An empty draft is not previewed. */
export function usePreview(application: string, draft: Draft): Previewed {
  const state = useSignal<Previewed>({ preview: null, problem: null })
  const wanted = countable(draft)
  const typed = JSON.stringify(wanted)
  useEffect(() => {
    if (wanted === null) {
      state.value = { preview: null, problem: null }
      return undefined
    }
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        const preview = await askPreview(application, wanted, stop.signal)
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
