import type { Clock } from '../clock.ts'

/** What `work` came to, or `'late'` after `limitMs` milliseconds; it then goes on unheard. */
export async function within<T>(clock: Pick<Clock, 'after'>, limitMs: number, work: Promise<T>): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>()
  const cancel = clock.after(limitMs, () => late.resolve('late'))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
  }
}
