import { expect, test } from 'bun:test'
import { createNotices } from '../../../src/delivery/lane/notices.ts'

const APPLE = 'https://web.push.apple.com'
const MOZILLA = 'https://updates.push.services.mozilla.com'

test('pauses of one gateway are a warning once a minute, and once for each state', () => {
  const lines: [level: string, origin: unknown, state: unknown][] = []
  const tell = (level: string) => (_: string, more?: object) =>
    void lines.push([level, Reflect.get(more ?? {}, 'origin'), Reflect.get(more ?? {}, 'state')])
  const notices = createNotices(
    {
      application: 1,
      platform: 2,
      clock: { wallAt: (moment) => moment },
      log: { writes: () => true, debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') },
      persist: async <T>(operation: () => T): Promise<T> => operation(),
      events: { pushFinished: () => undefined, credentialPaused: () => undefined, credentialResumed: () => undefined },
    },
    { isGood: true },
    null,
  )
  const busy = { state: 'unreachable', reason: 'HTTP 503' } as const
  for (let at = 0; at < 120_000; at += 2000) notices.paused(APPLE, busy, 1000, at)
  notices.paused(MOZILLA, busy, 1000, 119_000)
  notices.paused(APPLE, { state: 'misconfigured', reason: 'HTTP 403' }, 1000, 119_000)
  expect(lines.filter(([level]) => level === 'warn')).toEqual([
    ['warn', APPLE, 'unreachable'],
    ['warn', APPLE, 'unreachable'],
    ['warn', MOZILLA, 'unreachable'],
    ['warn', APPLE, 'misconfigured'],
  ])
  expect(lines).toHaveLength(62)
})
