import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, comebacks, sentenceOf } from './call.ts'

export interface Resource<T> {
  /** `null`: not here yet, or it could not be read. What was read before stays while `problem` says why it may be old. */
  readonly value: T | null
  readonly problem: string | null
  readonly reload: () => void
}

/** What a path answers; asked again when the path changes, and when the server came back. `null`: nothing is asked. */
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

/** Reads it again every `ms` while somebody looks, and when they come back to the page. */
export function useFresh({ reload }: Pick<Resource<unknown>, 'reload'>, ms = 10_000): void {
  useEffect(() => {
    const again = (): void => {
      if (!document.hidden) reload()
    }
    const timer = setInterval(again, ms)
    document.addEventListener('visibilitychange', again)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
    }
  }, [])
}
