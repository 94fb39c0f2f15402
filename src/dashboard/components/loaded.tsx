import type { ComponentChildren } from 'preact'
import type { Resource } from '../client/resource.ts'
import { Notice } from './notice.tsx'

interface Props<T> {
  readonly of: Resource<T>
  readonly children: (value: T) => ComponentChildren
}

/** What was read; until then that it is coming, or why it is not. What is old stays below the reason. */
export function Loaded<T>({ of: { value, problem, reload }, children }: Props<T>) {
  return (
    <>
      <Failed problem={problem} onRetry={reload} />
      {value === null ? problem === null && <Loading /> : children(value)}
    </>
  )
}

/** Appears only where it takes a while. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  )
}

interface FailedProps {
  /** `null`: it has not failed. */
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
