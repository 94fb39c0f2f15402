/**
 * Requests before the event loop gets a turn, by all senders: 2 or 3 ms of work. Measured on 2 cores during a
 * broadcast, 99th percentile: GET 165 ms and PUT 234 ms without it, 12 and 22 ms with it. Half of it costs 10 % of the
 * speed.
 */
const SENDS = 128

export type SendBudget = ReturnType<typeof createSendBudget>

export function createSendBudget(onTurn: (sentInLastTurn: number) => void = () => undefined) {
  let left = SENDS
  let sent = 0
  let quota = SENDS
  const waiting = new Set<() => void>()
  let isScheduled = false

  function nextTurn(): void {
    isScheduled = false
    onTurn(sent)
    sent = 0
    left = SENDS
    const senders = [...waiting]
    waiting.clear()
    for (const again of senders) {
      quota = Math.ceil(SENDS / senders.length)
      again()
    }
    quota = SENDS
  }

  return {
    /** Whether a request as costly as `weight` usual ones may go; if not, `again` runs in the next turn. */
    take(again: () => void, weight = 1): boolean {
      if (!isScheduled) {
        isScheduled = true
        setImmediate(nextTurn)
      }
      if (left > 0 && quota > 0) {
        left -= weight
        quota -= weight
        sent++
        return true
      }
      waiting.add(again)
      return false
    },
  }
}
