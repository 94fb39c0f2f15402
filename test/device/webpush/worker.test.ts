import { describe, expect, test } from 'bun:test'
import { workerScript } from '../../../src/client/web-scripts.ts'

/** The scope of a service worker, as far as the worker uses it. `setAppBadge`: what the browser does with a badge. */
function install(setAppBadge: (badge: number) => Promise<void>) {
  const listeners = new Map<string, (event: object) => void>()
  const shown: [title: string, options: object][] = []
  const timers: (() => void)[] = []
  const self = {
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    navigator: { setAppBadge, clearAppBadge: () => setAppBadge(0) },
    clients: { matchAll: () => Promise.resolve([]) },
    registration: {
      scope: 'https://shop.example/',
      showNotification(title: string, options: object) {
        shown.push([title, options])
        return Promise.resolve()
      },
    },
  }
  // oxlint-disable-next-line typescript/no-implied-eval -- a worker is a script, which finds its scope as `self`
  new Function('self', 'setTimeout', workerScript('web'))(self, (run: () => void) => timers.push(run))
  return {
    shown,
    timers,
    push(message: object): Promise<void> {
      return new Promise((resolve, reject) =>
        listeners.get('push')?.({
          data: { json: () => message },
          waitUntil: (work: Promise<void>) => work.then(resolve, reject),
        }),
      )
    },
  }
}

const MESSAGE = { notification: { title: 'Fresh bread', tag: 'bread', app_badge: 3 }, app_badge: 3 }

describe('the worker', () => {
  test('shows a push and sets the badge', async () => {
    const badges: number[] = []
    const scope = install(async (badge) => void badges.push(badge))
    await scope.push(MESSAGE)
    await scope.push({ app_badge: 0 })
    expect(scope.shown).toEqual([['Fresh bread', { tag: 'bread', data: { bellhop: {} } }]])
    expect(badges).toEqual([3, 0])
  })

  test('shows a push where the badge is never set, and waits for that for two seconds at the most', async () => {
    const scope = install(() => new Promise(() => {}))
    const over = scope.push(MESSAGE)
    expect(scope.shown).toHaveLength(1)
    for (const run of scope.timers) run()
    await over
  })

  test('shows a push where the badge cannot be set', async () => {
    const scope = install(() => Promise.reject(new Error('not allowed')))
    await scope.push(MESSAGE)
    expect(scope.shown).toHaveLength(1)
  })
})
