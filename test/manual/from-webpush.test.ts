import { expect, test } from 'bun:test'
import { workerScript } from '../../src/client/web-scripts.ts'
import { findPage } from '../../src/manual/pages.ts'
import type { Notification } from '../../src/notification/notification.ts'
import { renderWebPush } from '../../src/notification/webpush-render.ts'

const [, BLOCK = ''] = /^```js\n(.*?)^```$/ms.exec(findPage('from-webpush')?.text ?? '') ?? []
const NOTHING: Notification = { msg: null, sound: null, badge: null, payload: null, carriesId: true }
const SITE = 'https://shop.example/'

/** The worker of a site that moves, whose old handler only says that it was called. */
function startWorker() {
  const said: string[] = []
  const self = Object.assign(new EventTarget(), {
    registration: {
      scope: SITE,
      showNotification: (title: string) => said.push(`Bellhop shows ${title}`),
      getNotifications: () => [],
    },
    clients: { matchAll: () => [], openWindow: (url: string) => said.push(`Bellhop opens ${url}`) },
  })
  const caches = { match: () => undefined, open: () => ({ put: () => undefined }) }
  const scope = { self, caches, location: new URL(SITE), old: () => said.push('the old handler') }
  const run = (text: string, more: object = {}) => {
    const names = { ...scope, ...more }
    // oxlint-disable-next-line typescript/no-implied-eval -- a worker is a script, which finds its scope as `self`
    new Function(...Object.keys(names), text)(...Object.values(names))
  }
  run(BLOCK.replaceAll('// … as before', 'old()'), { importScripts: () => run(workerScript('web/1.2.0')) })
  return async (name: string, fields: object) => {
    let work: unknown = null
    const event = Object.assign(new Event(name), fields, { waitUntil: (given: unknown) => (work = given) })
    self.dispatchEvent(event)
    await work
    return said.splice(0)
  }
}

/** As browsers have it. */
const data = (text: string) => ({ json: () => JSON.parse(text) as unknown, text: () => text })
const pushed = (fields: Partial<Notification>) =>
  renderWebPush({ push: 'p1', notification: { ...NOTHING, ...fields }, expiresAt: 1 }).body(null)

test('the worker of a site that moves leaves each push of Bellhop to it, and no other', async () => {
  const happens = startWorker()
  const arrives = (text: string) => happens('push', { data: data(text) })
  expect(await arrives(pushed({ msg: 'Hello' }))).toEqual(['Bellhop shows Hello'])
  expect(await arrives(pushed({ msg: 'Hello', link: SITE, payload: { order: 7 } }))).toEqual(['Bellhop shows Hello'])
  expect(await arrives(pushed({ payload: { order: 7 } }))).toEqual([])
  expect(await arrives(pushed({ withdraws: { withdrawn: 'p1', tag: 't1' } }))).toEqual([])
  for (const old of [
    'Hello',
    '',
    'null',
    '"Hello"',
    '[1]',
    '{"title":"Hello"}',
    '{"notification":{"title":"Hello"}}',
    '{"data":{}}',
  ])
    expect([old, await arrives(old)]).toEqual([old, ['the old handler']])
  expect(await happens('push', { data: null })).toEqual(['the old handler'])
})

test('and each tap on what Bellhop has shown', async () => {
  const happens = startWorker()
  const tapped = (given: unknown) =>
    happens('notificationclick', { notification: { data: given, close: () => undefined }, action: '' })
  expect(await tapped({ bellhop: { link: '/orders' } })).toEqual([`Bellhop opens ${SITE}orders`])
  for (const old of [null, undefined, '/orders', 7, { navigate: '/orders' }])
    expect([old, await tapped(old)]).toEqual([old, ['the old handler']])
})
