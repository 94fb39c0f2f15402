import type { ComponentChildren } from 'preact'
import type { Resource } from '../client/resource.ts'
import { Notice } from './notice.tsx'

interface Props<T> {
  readonly of: Resource<T>
  readonly children: (value: T) => ComponentChildren
}

/** After an error the old value stays below the message. */
export function Loaded<T>({ of: { value, problem, reload }, children }: Props<T>) {
  return (
    <>
      <Failed problem={problem} onRetry={reload} />
      {value === null ? problem === null && <Loading /> : children(value)}
    </>
  )
}

/** The style sheet delays it, so fast loads don't show it. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  )
}

interface FailedProps {
  readonly problem: string | null
  readonly onRetry: () => void
}

export function Failed({ problem, onRetry }: FailedProps) {
  if (problem === null) return null
  return (
    <Notice level="error">
      <p>{problem}</p>
      <button type="button" class="quiet" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  )
}
