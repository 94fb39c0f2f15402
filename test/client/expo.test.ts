import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { drive } from './drive.ts'
import { launch, removePackages, writePackage } from './expo/launch.ts'
import { holdVectors } from './hold-vectors.ts'
import type { Core } from './hold-vectors.ts'

afterAll(removePackages)

const SECRET = 'This is the secret of an application. It belongs to your backend. Here goes the ID, app_…'
const PUSH = '019a9f7e-3c1b-7000-8000-000000000000'
const TAPPED = 'expo.modules.notifications.actions.DEFAULT'

/** As FCM and Expo deliver a tap on a system notification on Android. */
const response = (push: string, actionIdentifier = TAPPED) => ({
  actionIdentifier,
  notification: {
    date: 1,
    request: {
      identifier: push,
      trigger: { type: 'push' },
      content: { data: { bellhop: JSON.stringify({ push }), link: 'shop://1', order: '7', 'google.ttl': '60' } },
    },
  },
})

describe('the contract of the client libraries, in the package for Expo', () => {
  const folder = writePackage({ server: 'https://push.example.com', app: 'app_1' })
  holdVectors(async () => {
    const scripts = ['core.js', 'withdrawal.js'].map((name) => import(join(folder, name)))
    return Object.assign({}, ...(await Promise.all(scripts))) as Core
  })
})

describe('the client library for Expo', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** An application per test. */
  function begin(server = service.url) {
    const application = service.addApplication(crypto.randomUUID())
    return {
      place: { server, app: application.id },
      devices: async () => (await service.get('/deviceToken/all', { application })).body as object[],
      send: async (token: string, platform = '1') => {
        const body = { platform, token, msg: 'Cake', sound: '', badge: '' }
        return String((await service.post('/push/one', body, { application })).body.id)
      },
      counts: async (push: string) => (await service.get(`/push/${push}`, { application })).body,
    }
  }

  test('registers, reports, moves and leaves against a server', async () => {
    const folder = writePackage({ server: service.url, app: 'app_1' })
    const program = [process.execPath, join(import.meta.dir, 'expo/drive-keeper.ts'), folder]
    await using own = await startService()
    await drive(own, program, '1', ['android-1', 'android-2', 'unregistered:1'])
  }, 60_000)

  test('asks for permission only when the app says so', async () => {
    const { place, devices } = begin()
    const { connect, phone } = await launch(place)
    const bellhop = connect()
    expect(connect()).toBe(bellhop)
    expect(await bellhop.register()).toEqual({ token: 'android-1', granted: false })
    expect(phone.asked).toBe(0)
    expect(await bellhop.register({ ask: true })).toEqual({ token: 'android-1', granted: true })
    expect(phone).toMatchObject({ asked: 1, channels: [{ id: 'default', name: 'Notifications' }, { id: 'default' }] })
    expect(await devices()).toMatchObject([{ token: 'android-1', platform: '1', timezone: expect.any(String) }])
  })

  test('renews its token at a start once it is registered, and not after it has left', async () => {
    const { place, devices } = begin()
    const first = await launch(place)
    await first.connect().setTags(['beta'])
    first.phone.tell('token', 'android-0')
    await first.connect().setTags(['gold'])
    expect(await devices()).toEqual([])
    await first.connect().register()

    const { folder } = first.phone
    const second = await launch(place, { folder, token: 'android-2' })
    second.connect()
    while (!JSON.stringify(await devices()).includes('android-2')) await Promise.resolve()
    expect(await devices()).toMatchObject([{ token: 'android-2', tag: ['gold'] }])
    await second.connect().unregister()
    const third = await launch(place, { folder, token: 'android-3' })
    third.phone.tell('token', 'android-3')
    await third.connect().setTags([])
    expect(await devices()).toEqual([])
  })

  test('delivers a tap that started the app once, as soon as it listens, and reports it', async () => {
    const { place, devices, send, counts } = begin()
    const { connect, phone } = await launch(place)
    await connect().register()
    const push = await send('android-1')
    // Android repeats a tap when the app starts from the recent apps. iOS also tells a listener.
    for (const expected of [[{ push, action: null, link: 'shop://1', data: { order: '7' } }], []]) {
      const again = await launch(place, { folder: phone.folder, first: response(push) })
      const bellhop = again.connect()
      again.phone.tell('response', response(push))
      await bellhop.login('ann')
      const taps: object[] = []
      bellhop.onOpen((tap) => taps.push(tap))
      bellhop.onOpen((tap) => taps.push(tap))
      expect(taps).toEqual(expected)
    }
    expect(await counts(push)).toMatchObject({ o: 1 })
    expect(await devices()).toMatchObject([{ user: 'ann' }])
  })

  test('hears taps, buttons and messages while it runs, also as a hook', async () => {
    const { place, send, counts } = begin()
    const { useBellhop, phone } = await launch(place)
    const heard: object[] = []
    const listeners = { onOpen: (tap: object) => heard.push(tap), onMessage: (message: object) => heard.push(message) }
    const bellhop = useBellhop({ receipts: true, ...listeners })
    await bellhop.register()
    const push = await send('android-1')
    phone.tell('received', response(push).notification)
    phone.tell('response', response(push, 'buy'))
    // The app's own notifications and swipes are not taps.
    const { notification } = response(push, 'com.apple.UNNotificationDismissActionIdentifier')
    phone.tell('response', { actionIdentifier: 'com.apple.UNNotificationDismissActionIdentifier', notification })
    const own = { ...notification, request: { ...notification.request, trigger: null } }
    phone.tell('response', { actionIdentifier: TAPPED, notification: own })
    await bellhop.setTags([])
    const same = { push, link: 'shop://1', data: { order: '7' } }
    expect(heard).toEqual([
      { ...same, title: null, body: null },
      { ...same, action: 'buy' },
    ])
    expect(await counts(push)).toMatchObject({ received: 1, actions: { buy: 1 } })
  })

  test('keeps what happens offline, and sends it when the server is back', async () => {
    let proxy = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 500 }) })
    const { port } = proxy
    const { place, devices } = begin(`http://127.0.0.1:${port}`)
    await proxy.stop(true)
    const { connect } = await launch(place)
    await connect().setTags(['later'])
    await connect().register()
    expect(await devices()).toEqual([])

    const back = Promise.withResolvers<void>()
    proxy = Bun.serve({
      port: port ?? 0,
      async fetch(request) {
        const { pathname } = new URL(request.url)
        const { method, headers } = request
        const answer = await fetch(service.url + pathname, { method, headers, body: await request.text() })
        back.resolve()
        return answer
      },
    })
    await back.promise
    expect(await devices()).toMatchObject([{ token: 'android-1', tag: ['later'] }])
    await proxy.stop(true)
  })

  test('shares on iOS what the extension needs, and reports what that could not', async () => {
    const { place, send, counts } = begin()
    const { connect, phone } = await launch(place, { os: 'ios', token: 'a'.repeat(64), groups: ['group.shop.bellhop'] })
    const bellhop = connect({ receipts: true })
    await bellhop.register()
    expect(JSON.parse(readFileSync(join(phone.folder, 'bellhop.json'), 'utf8'))).toMatchObject({
      app: place.app,
      home: place.server,
      receipts: true,
      state: { known: { token: 'a'.repeat(64) } },
    })
    const push = await send('a'.repeat(64), '0')
    mkdirSync(join(phone.folder, 'bellhop-received'))
    writeFileSync(join(phone.folder, 'bellhop-received', push), '')
    phone.tell('change', 'active')
    while ((await counts(push)).received !== 1) await Promise.resolve()
    // An extension reports the others.
    phone.tell('received', response('p2').notification)
    await bellhop.setTags([])
    expect(JSON.parse(readFileSync(join(phone.folder, 'bellhop.json'), 'utf8')).state.reports).toEqual([])
  })

  test('starts with what is whole if it was killed while it wrote', async () => {
    const { place } = begin()
    const { connect, phone } = await launch(place)
    await connect().register()
    writeFileSync(join(phone.folder, 'bellhop.json'), '{"app":')
    const again = await launch(place, { folder: phone.folder, token: 'android-1' })
    await again.connect().setTags([])
    expect(JSON.parse(readFileSync(join(phone.folder, 'bellhop.json'), 'utf8')).state.known.token).toBe('android-1')
  })

  test('shows pushes while the app is open, unless the app decides otherwise', async () => {
    const { place } = begin()
    const shown = (isShown: boolean) => ({
      shouldShowBanner: isShown,
      shouldShowList: isShown,
      shouldPlaySound: isShown,
      shouldSetBadge: isShown,
    })
    const handled = async (options?: object) => {
      const { connect, phone } = await launch(place)
      connect(options)
      return (await phone.handler?.handleNotification(response('p1').notification)) ?? null
    }
    expect(await handled()).toEqual(shown(true))
    expect(await handled({ showInForeground: ({ link }: { link: string }) => link !== 'shop://1' })).toEqual(
      shown(false),
    )
    expect(await handled({ showInForeground: null })).toBeNull()
  })

  test('refuses the secret, and says what the server refuses', async () => {
    const { connect } = await launch({ server: service.url, app: 'bhs_1' })
    expect(() => connect()).toThrow(SECRET)
    const bellhop = (await launch(begin().place)).connect()
    await bellhop.setTags(7)
    // A refusal is not repeated, but said again.
    for (let times = 0; times < 2; times++)
      expect(await bellhop.register().catch(({ message }: Error) => message)).toBe(
        'tag must be an array of strings, not 7.',
      )
  })

  test('removes from the screen what a push withdraws, while the app is open and in the background', async () => {
    const { connect, onBackgroundPush, phone } = await launch(begin().place)
    const heard: object[] = []
    connect().onMessage((message) => heard.push(message))
    const pushed = (identifier: string, bellhop?: object) => ({
      request: { identifier, trigger: { type: 'push', payload: { bellhop } }, content: {} },
    })
    const bySystem = 'expo-notifications://foreign_notifications?tag=order%2017&id=0'
    const foreign = { request: { identifier: bySystem, trigger: null, content: { data: {} } } }
    phone.shown = [pushed('a', { push: 'p1' }), pushed('b', { push: 'p2' }), pushed('news'), foreign]
    const left = () => phone.shown.map(({ request }) => request.identifier)
    const text = (bellhop: object) => ({ data: { bellhop: JSON.stringify(bellhop) } })
    const silent = (bellhop: object) => ({
      request: { identifier: '', trigger: { type: 'push', remoteMessage: text(bellhop) }, content: {} },
    })
    phone.tell('received', silent({ withdrawn: 'p1', tag: 'b' }))
    await until(() => left().length < 4)
    expect(left()).toEqual(['b', 'news', bySystem])
    await onBackgroundPush({ data: text({ withdrawn: 'p3', tag: 'order 17' }) })
    expect(left()).toEqual(['b', 'news'])
    await onBackgroundPush({ data: { data: { bellhop: { withdrawn: 'p4', tag: 'news' } } } })
    for (const data of [text({ push: 'p2' }), { data: {} }, {}, null, { data: { bellhop: 'theirs' } }]) {
      await onBackgroundPush({ data })
    }
    expect(left()).toEqual(['b'])
    expect(heard).toEqual([])
  })

  test('says with a tap that it clears the other phones, if the app wants it', async () => {
    const bodies: object[] = []
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        if (request.url.endsWith('/stats')) bodies.push((await request.json()) as object)
        return Response.json({})
      },
    })
    const { connect, phone } = await launch({ server: server.url.origin, app: 'app_1' })
    await connect({ clear: true }).register()
    phone.tell('response', response(PUSH))
    await until(() => bodies.length > 0)
    expect(bodies).toEqual([{ platform: '1', token: 'android-1', id: PUSH, event: 'opened', clear: true }])
  })

  test('reads a push wherever Expo puts it', async () => {
    const folder = writePackage({ server: service.url, app: 'app_1' })
    const { readPush } = (await import(join(folder, 'payload.js'))) as { readPush: (notification: object) => object }
    const bellhop = { push: 'p1' }
    const text = JSON.stringify(bellhop)
    const read = (trigger: object, content: object = {}) =>
      readPush({ request: { trigger: { type: 'push', ...trigger }, content: { title: 'Cake', ...content } } })
    const expected = { push: 'p1', title: 'Cake', body: null, link: 'shop://1', data: { order: '7' } }
    const fields = { link: 'shop://1', order: '7' }
    expect(read({ payload: { aps: { alert: 'Cake' }, bellhop, ...fields } })).toEqual(expected)
    expect(read({ remoteMessage: { data: { bellhop: text, ...fields } } })).toEqual(expected)
    expect(read({}, { data: { bellhop: text, from: '1', collapse_key: 'a', ...fields } })).toEqual(expected)
    expect(read({ payload: { bellhop: 'theirs' } })).toMatchObject({ push: null, link: null, data: {} })
  })
})
