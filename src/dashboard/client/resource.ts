import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, comebacks, sentenceOf } from './call.ts'

export interface Resource<T> {
  /** `null`: not loaded. After an error the old value stays. */
  readonly value: T | null
  readonly problem: string | null
  readonly reload: () => void
}

/** Loads `path`, again when it changes or the server comes back. `null`: loads nothing. */
export function useResource<T>(path: string | null): Resource<T> {
  const state = useSignal<{ path: string | null; value: T | null; problem: string | null }>({
    path: null,
    value: null,
    problem: null,
  })
  const attempt = useSignal(0)
  useEffect(() => {
    if (path === null) return undefined
    const stop = new AbortController()
    call<T>('GET', path, { signal: stop.signal }).then(
      (value) => {
        if (!stop.signal.aborted) state.value = { path, value, problem: null }
      },
      (error: unknown) => {
        if (stop.signal.aborted) return
        const last = state.peek()
        state.value = { path, value: last.path === path ? last.value : null, problem: sentenceOf(error) }
      },
    )
    return () => stop.abort()
  }, [path, attempt.value, comebacks.value])
  const current = state.value
  const isCurrent = current.path === path
  return {
    value: isCurrent ? current.value : null,
    problem: isCurrent ? current.problem : null,
    reload: () => void attempt.value++,
  }
}

const FRESH_MS = 10_000

/** Reloads regularly while the page is visible, and when it becomes visible. */
export function useFresh({ reload }: Pick<Resource<unknown>, 'reload'>): void {
  useEffect(() => {
    const again = (): void => {
      if (!document.hidden) reload()
    }
    const timer = setInterval(again, FRESH_MS)
    document.addEventListener('visibilitychange', again)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
    }
  }, [])
}
