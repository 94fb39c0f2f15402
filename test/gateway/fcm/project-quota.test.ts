import { describe, expect, test } from 'bun:test'
import { ProjectQuota } from '../../../src/gateway/fcm/project-quota.ts'

const NOW = Date.UTC(2026, 10, 20)

/** Messages that may go from `from` on within `forMs`, asked for every 10 ms. */
function sendable(quota: ProjectQuota, from: number, forMs: number): number {
  let sent = 0
  for (let at = from; at < from + forMs; at += 10) {
    while (quota.mayTake(at)) {
      quota.take()
      sent++
    }
  }
  return sent
}

describe('the quota of a project', () => {
  test('is 600,000 messages a minute, and half a second’s more at first', () => {
    const sent = sendable(new ProjectQuota(), NOW, 60_000)
    expect(sent).toBeGreaterThan(600_000)
    expect(sent).toBeLessThanOrEqual(605_000)
  })

  test('gives nothing during a pause that Google asked for', () => {
    const quota = new ProjectQuota()
    quota.pause(NOW, 30_000)
    expect(sendable(quota, NOW, 30_000)).toBe(0)
    expect(quota.mayTake(NOW + 30_000)).toBe(true)
  })

  test('is not paused for less by a shorter wish', () => {
    const quota = new ProjectQuota()
    quota.pause(NOW, 30_000)
    quota.pause(NOW + 1000, 2000)
    expect(quota.mayTake(NOW + 29_000)).toBe(false)
  })

  test('opens slowly after a pause, over a minute', () => {
    const quota = new ProjectQuota()
    quota.pause(NOW, 60_000)
    const seconds = Array.from({ length: 62 }, (_, n) => sendable(quota, NOW + 60_000 + n * 1000, 1000))
    expect(seconds[0]).toBeLessThan(300)
    expect(seconds[30]).toBeWithin(4500, 5600)
    expect(seconds[61]).toBeWithin(9900, 10_100)
  })
})
