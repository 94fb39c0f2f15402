/** What was sent and is not on disk: the next start sends it again. */
export interface Unwritten {
  readonly notifications: number
  readonly pushes: number
}

/** Of all senders: a push may be there once for each platform. */
export function unwrittenOf(all: readonly (readonly [push: string, notifications: number])[]): Unwritten {
  const sent = all.filter(([, count]) => count > 0)
  const notifications = sent.reduce((sum, [, count]) => sum + count, 0)
  return { notifications, pushes: new Set(sent.map(([push]) => push)).size }
}
