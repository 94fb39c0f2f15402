import { describe, expect, test } from 'bun:test'
import { EXAMPLE_SUBSCRIPTION } from '../../../src/gateway/simulator/webpush/message-opening.ts'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { fileService } from '../../support/file-service.ts'
import { passing } from '../../support/passing.ts'
import { expectFailure, expectInvalid } from '../../support/refusals.ts'
import { startSending } from '../../support/sending.ts'
import { until } from '../../support/until.ts'

const PLATFORMS = 'must contain "0" (iOS), "1" (Android) or "2" (Web), which this array does not'
const UNKNOWN = '019a9f7e-3c1b-7000-8000-000000000000'

const service = await fileService()
const simulator = await service.server.simulator()

/** Tokens and endpoints that no other test has. */
function devicesOf({ application: { id } }: Caller) {
  const name = id.slice(-12)
  const iphone = { token: Buffer.from(id).toString('hex').slice(-62).padStart(64, 'a'), platform: '0' }
  return {
    iphone,
    ipad: { token: `b${iphone.token.slice(1)}`, platform: '0' },
    android: { token: `phone:${name}`, platform: '1' },
    browser: { token: `https://fcm.googleapis.com/fcm/send/${name}`, platform: '2', keys: EXAMPLE_SUBSCRIPTION },
  }
}

async function registered(devices: readonly object[], caller: Caller, more: object = {}): Promise<void> {
  for (const device of devices) {
    expect(await caller.put('/deviceToken', { ...device, ...more })).toMatchObject({ status: 201 })
  }
}

async function pushed(caller: Caller, more: object = {}): Promise<string> {
  const { status, body } = await caller.post('/push/all', {
    platform: ['0', '1', '2'],
    msg: 'Hello',
    sound: '',
    badge: '',
    ...more,
  })
  expect(status).toBe(200)
  await over(body.id)
  return body.id
}

const over = (id: string) => arrivalsOf(service, id)
const shown = (caller: Caller, id: string, query = '') =>
  service.call('DELETE', `/push/${id}/shown${query}`, { application: caller.application })
const replaced = (caller: Caller, id: string, body: object) => caller.put(`/push/${id}/shown`, body)
const tokensOf = (arrivals: readonly ReceivedPush[]) => arrivals.map(({ token }) => token).sort()
const tapped = (
  caller: Caller,
  id: string,
  { token, platform }: { token: string; platform: string },
  more: object = {},
) => caller.put('/stats', { platform, id, token, clear: true, ...more }, 'device')

/** What has arrived at these devices and removes a notification. */
function withdrawals(devices: readonly { readonly token: string }[]): readonly ReceivedPush[] {
  const tokens = new Set(devices.map(({ token }) => token))
  return simulator
    .arrivals()
    .filter(({ token, body }) => tokens.has(token) && JSON.stringify(body).includes('withdrawn'))
}

describe('DELETE /push/{id}/shown', () => {
  test('sends the phones that got the push one that shows nothing and names what is to go', async () => {
    const caller = newCaller(service)
    const { iphone, android } = devicesOf(caller)
    await registered([iphone, android], caller)
    const id = await pushed(caller)
    const answer = await shown(caller, id)
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: 'Withdrawn', id: expect.any(String), cancelled: false },
    ])
    expect(answer.body.id).not.toBe(id)
    await over(answer.body.id)
    const [first, second] = await arrivalsAt(simulator, 2, (one) => withdrawals([iphone, android]).includes(one))
    const [onApple, onGoogle] = first?.provider === 'apns' ? [first, second] : [second, first]
    const bellhop = { withdrawn: id, tag: id }
    expect(onApple).toMatchObject({ token: iphone.token, status: 200, pushType: 'background' })
    expect(onApple?.headers).toMatchObject({ 'apns-priority': '5', 'apns-push-type': 'background' })
    expect(onApple?.body).toEqual({ aps: { 'content-available': 1 }, bellhop })
    expect(onGoogle).toMatchObject({ token: android.token, status: 200 })
    expect(onGoogle?.body).toEqual({
      message: {
        token: android.token,
        data: { bellhop: JSON.stringify(bellhop) },
        android: { priority: 'normal', ttl: expect.any(String) },
      },
    })
    const { body: status } = await caller.get(`/push/${answer.body.id}`)
    expect(status).toMatchObject({ state: 'finished', t: 2, s: 2 })
  })

  test('names the collapse ID where the push had one, and says nothing of its text', async () => {
    const caller = newCaller(service)
    const { iphone } = devicesOf(caller)
    await registered([iphone], caller)
    const id = await pushed(caller, { collapse: 'order-17', payload: { order: 17 }, msg: 'A secret' })
    await over((await shown(caller, id)).body.id)
    const [arrival] = withdrawals([iphone])
    expect(arrival?.body).toEqual({ aps: { 'content-available': 1 }, bellhop: { withdrawn: id, tag: 'order-17' } })
  })

  test('changes nothing the second time, and gives the same answer', async () => {
    const caller = newCaller(service)
    const { iphone } = devicesOf(caller)
    await registered([iphone], caller)
    const id = await pushed(caller)
    const [one, two] = await Promise.all([shown(caller, id), shown(caller, id.toUpperCase())])
    const again = await shown(caller, id)
    expect([two.body, again.body]).toEqual([one.body, one.body])
    await over(one.body.id)
    expect(withdrawals([iphone])).toHaveLength(1)
  })

  test('reaches only who got the push: nobody whom it failed for, left out, or who came later', async () => {
    const caller = newCaller(service)
    const { iphone, android, ipad } = devicesOf(caller)
    const other = { ...ipad, token: `c${ipad.token.slice(1)}` }
    const refused = { ...android, token: `payload-too-large:${android.token}` }
    await registered([{ ...iphone, tag: ['a'] }, other, { ...refused, tag: ['a'] }], caller)
    const id = await pushed(caller, { tags: ['a'] })
    await registered([{ ...ipad, tag: ['a'] }], caller)
    await over((await shown(caller, id)).body.id)
    expect(tokensOf(withdrawals([iphone, other, ipad, refused]))).toEqual([iphone.token])
  })

  test('reaches the one device of a push to one, and is kept out of no list', async () => {
    const caller = newCaller(service)
    const { iphone, ipad } = devicesOf(caller)
    await registered([iphone, ipad], caller)
    const sent = await caller.post('/push/one', { ...iphone, msg: 'Hello', sound: '', badge: '' })
    await over(sent.body.id)
    const { body } = await shown(caller, sent.body.id)
    await over(body.id)
    expect(tokensOf(withdrawals([iphone, ipad]))).toEqual([iphone.token])
    expect((await caller.get('/pushes')).body.map(({ id }: { id: string }) => id)).toEqual([body.id, sent.body.id])
  })

  test('leaves browsers alone unless they are named; Safari gets nothing even then', async () => {
    const caller = newCaller(service)
    const { iphone, browser } = devicesOf(caller)
    const safari = { ...browser, token: browser.token.replace('fcm.googleapis.com/fcm/send', 'web.push.apple.com') }
    await registered([iphone, browser, safari], caller)
    const [one, two] = [await pushed(caller), await pushed(caller)]
    await over((await shown(caller, one)).body.id)
    expect(tokensOf(withdrawals([iphone, browser, safari]))).toEqual([iphone.token])
    const { id } = (await shown(caller, two, '?platform=2')).body
    await until(async () => (await caller.get(`/push/${id}`)).body.state === 'finished')
    const [, atBrowser, ...more] = withdrawals([iphone, browser, safari])
    expect(more).toEqual([])
    expect(atBrowser).toMatchObject({ token: browser.token, status: 201, headers: { urgency: 'normal' } })
    expect(atBrowser?.body).toEqual({ data: { bellhop: { withdrawn: two, tag: two } } })
    expect((await caller.get(`/push/${id}`)).body).toMatchObject({ t: 2, s: 1 })
  })

  test('refuses an unknown push, one of another application, and what shows nothing', async () => {
    const caller = newCaller(service)
    const { iphone } = devicesOf(caller)
    await registered([iphone], caller)
    expectFailure(await shown(caller, UNKNOWN), 404, 'ResourceNotFound', 'No push found')
    const id = await pushed(caller)
    expectFailure(await shown(newCaller(service), id), 404, 'ResourceNotFound', 'No push found')
    const silent = await pushed(caller, { silent: true, payload: { a: 1 }, msg: null, sound: null, badge: null })
    const nothing = 'The push shows nothing: there is nothing to take back.'
    expectFailure(await shown(caller, silent), 409, 'ConflictError', nothing)
    const { body } = await shown(caller, id)
    expectFailure(await shown(caller, body.id), 409, 'ConflictError', nothing)
  })

  test('refuses a push that nobody got, or got on no such platform', async () => {
    const caller = newCaller(service)
    const nobody =
      'The push was sent to no device of these platforms. Browsers are reached only if platform names them.'
    expectFailure(await shown(caller, await pushed(caller)), 409, 'ConflictError', nobody)
    const { iphone } = devicesOf(caller)
    await registered([iphone], caller)
    const id = await pushed(caller)
    expectFailure(await shown(caller, id, '?platform=1'), 409, 'ConflictError', nobody)
    await expectInvalid((platform) => shown(caller, id, `?platform=${String(platform)}`), 'platform', [
      ['tv', PLATFORMS],
      ['7', PLATFORMS],
    ])
    expect(await shown(caller, id, '?platform=0,1')).toMatchObject({ status: 200 })
  })

  test('refuses one that has not been sent yet, which stays as it is', async () => {
    const caller = newCaller(service)
    const { body } = await caller.post('/push/all', {
      platform: '0',
      msg: 'Hello',
      sound: '',
      badge: '',
      send_at: 3600,
    })
    expectFailure(await shown(caller, body.id), 409, 'ConflictError', 'The push has not been sent yet: cancel it.')
    expect((await caller.get(`/push/${body.id}`)).body.state).toBe('scheduled')
  })

  test('is in the audit log once, and so is a replacement', async () => {
    const caller = newCaller(service)
    const { iphone } = devicesOf(caller)
    await registered([iphone], caller)
    const id = await pushed(caller)
    for (const _ of [1, 2]) expect(await shown(caller, id)).toMatchObject({ status: 200 })
    expect(await replaced(caller, id, { msg: 'new' })).toMatchObject({ status: 200 })
    const entries = service.database.reading<{ action: string; detail: string; result: string }, [string]>(
      'SELECT action, detail, result FROM admin_log WHERE subject = ? ORDER BY number',
    )
    const detail = JSON.stringify({ push: id })
    expect(entries.all(caller.application.id)).toEqual([
      { action: 'withdraw', detail, result: 'ok' },
      { action: 'replace', detail, result: 'ok' },
    ])
  })
})

describe('DELETE /push/{id}/shown of a push that is being sent', () => {
  test('cancels the rest, and withdraws what had gone out', async () => {
    const { service: own, simulator: gateway, clock } = await startSending()
    await using _ = own
    const [reached = '', waiting = ''] = ['a1', 'bad42901'].map((start) => start.padEnd(64, '0'))
    await own.put('/deviceToken/batch', { platform: '0', tokens: [reached, waiting] })
    const { body } = await own.post('/push/all', { platform: '0', msg: 'Hello', sound: '', badge: '' })
    await own.logged(({ event }) => event === 'to be sent again')
    const answer = await own.call('DELETE', `/push/${body.id}/shown`)
    expect(answer).toMatchObject({ status: 200, body: { message: 'Withdrawn', cancelled: true } })
    const isOver = async () => (await own.get(`/push/${answer.body.id}`)).body.state === 'finished'
    await passing(own, clock, until(isOver))
    expect((await own.get(`/push/${body.id}`)).body).toMatchObject({ state: 'cancelled', s: 1 })
    const taken = (pushType: string) =>
      gateway.arrivals().filter((one) => one.status === 200 && one.pushType === pushType)
    expect(tokensOf(taken('alert'))).toEqual([reached])
    expect(tokensOf(taken('background'))).toContain(reached)
    const again = await own.call('DELETE', `/push/${body.id}/shown`)
    expect(again.body).toEqual({ ...answer.body, cancelled: false })
  })
})

describe('PUT /push/{id}/shown', () => {
  test('sends the new text in place of the old, without a sound', async () => {
    const caller = newCaller(service)
    const { iphone, android, browser } = devicesOf(caller)
    await registered([iphone, android, browser], caller)
    const id = await pushed(caller, { title: 'Corner Shop', msg: 'Bread is 1 cent', sound: 'default', badge: '+1' })
    const answer = await replaced(caller, id, { title: 'Corner Shop', msg: 'Bread is 1 euro' })
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: 'Replaced', id: expect.any(String), cancelled: expect.any(Boolean) },
    ])
    await until(async () => (await caller.get(`/push/${answer.body.id}`)).body.state === 'finished')
    const arrived = simulator.arrivals().filter(({ body }) => JSON.stringify(body).includes('1 euro'))
    const by = Object.fromEntries(arrived.map((one) => [one.provider, one]))
    const bellhop = { push: answer.body.id }
    const alert = { title: 'Corner Shop', body: 'Bread is 1 euro' }
    expect(by['apns']).toMatchObject({ collapse: id, pushType: 'alert' })
    expect(by['apns']?.body).toEqual({ aps: { alert, 'interruption-level': 'passive' }, bellhop })
    expect(by['fcm']).toMatchObject({ collapse: id, body: { message: { notification: alert } } })
    expect(by['webpush']?.body).toMatchObject({ notification: { ...alert, tag: id, data: { bellhop } } })
  })

  test('drops what would still have the old text', async () => {
    const caller = newCaller(service)
    const { iphone } = devicesOf(caller)
    await registered([{ ...iphone, locale: 'de' }], caller)
    const id = await pushed(caller, {
      subtitle: 'old',
      languages: { de: { msg: 'old' } },
      apns: { aps: { alert: 'old' } },
    })
    await over((await replaced(caller, id, { msg: 'new' })).body.id)
    const { body } = simulator.arrivals().findLast(({ token }) => token === iphone.token) ?? {}
    expect(body).toMatchObject({ aps: { alert: 'new' } })
    expect(JSON.stringify(body)).not.toContain('old')
  })

  test('says what is missing, unknown or too large, and sends nothing', async () => {
    const caller = newCaller(service)
    const { iphone } = devicesOf(caller)
    await registered([iphone], caller)
    const id = await pushed(caller)
    expectFailure(await replaced(caller, id, {}), 409, 'MissingParameter', 'msg is required.')
    expectFailure(
      await replaced(caller, id, { message: 'new' }),
      400,
      'InvalidArgument',
      'message is not known here. Did you mean msg?',
    )
    expect(await replaced(caller, id, { msg: 'x'.repeat(5000) })).toMatchObject({
      status: 400,
      body: {
        message: expect.stringMatching(
          /^msg and title, with what the push keeps, are too large: \d+ bytes for APNs; at most 4096 are allowed\.$/,
        ),
      },
    })
    expectFailure(await replaced(caller, UNKNOWN, { msg: 'new' }), 404, 'ResourceNotFound', 'No push found')
    expect((await caller.get('/pushes')).body).toHaveLength(1)
  })
})

describe('PUT /stats with clear', () => {
  const both = async (caller: Caller, more: object = {}) => {
    const { iphone, android, ipad } = devicesOf(caller)
    await registered([iphone, android], caller, { user: 'ann' })
    await registered([{ ...ipad, user: 'bob' }], caller)
    return { iphone, android, ipad, id: await pushed(caller, more) }
  }

  test("removes the notification from the user's other phones, and from nobody else's", async () => {
    const caller = newCaller(service)
    const { iphone, android, ipad, id } = await both(caller)
    expect(await tapped(caller, id, iphone)).toMatchObject({ status: 200, body: { message: 'Open recorded' } })
    await arrivalsAt(simulator, 1, (one) => withdrawals([android]).includes(one))
    const [arrival] = withdrawals([iphone, android, ipad])
    expect(withdrawals([iphone, android, ipad])).toHaveLength(1)
    expect(arrival?.body).toMatchObject({
      message: { token: android.token, data: { bellhop: JSON.stringify({ withdrawn: id, tag: id }) } },
    })
    expect((await caller.get(`/push/${id}`)).body).toMatchObject({ o: 1 })
  })

  test('does so once, for the first tap of the user, and the tap still counts', async () => {
    const caller = newCaller(service)
    const { iphone, android, ipad, id } = await both(caller)
    await tapped(caller, id, iphone, { event: 'action', action: 'buy' })
    await arrivalsAt(simulator, 1, (one) => withdrawals([android]).includes(one))
    for (const device of [iphone, android, android]) await tapped(caller, id, device)
    expect((await caller.get(`/push/${id}`)).body).toMatchObject({ o: 2, actions: { buy: 1 } })
    await over((await caller.post('/push/one', { ...android, msg: 'Last', sound: '', badge: '' })).body.id)
    expect(withdrawals([iphone, android, ipad])).toHaveLength(1)
  })

  test('is listed nowhere, and tells no webhook', async () => {
    const caller = newCaller(service)
    service.hook(caller.application, {
      url: 'https://127.0.0.1:1/',
      events: ['push.finished'],
      secret: Buffer.alloc(24).toString('base64'),
    })
    const { iphone, android, id } = await both(caller)
    await tapped(caller, id, iphone)
    await arrivalsAt(simulator, 1, (one) => withdrawals([android]).includes(one))
    expect((await caller.get('/pushes')).body.map((push: { id: string }) => push.id)).toEqual([id])
    const finished = service.database.reading<{ count: number }, [string]>(
      `SELECT count(*) AS count FROM event e JOIN application a ON a.number = e.application WHERE a.id = ?`,
    )
    const open = service.database.reading<object, []>('SELECT 1 FROM delivery WHERE finished_at IS NULL')
    await until(() => open.get() === null)
    expect(finished.get(caller.application.id)?.count).toBe(1)
  })

  test('does nothing for a device that was not sent the push, whoever it says it is', async () => {
    const caller = newCaller(service)
    const { iphone, android, ipad, id } = await both(caller, { users: ['ann'] })
    const late = { ...ipad, token: `d${ipad.token.slice(1)}`, user: 'ann' }
    await registered([late], caller)
    // Another user's, one that came later, and none.
    for (const device of [ipad, late, { ...ipad, token: `e${ipad.token.slice(1)}` }]) {
      expect(await tapped(caller, id, device)).toMatchObject({ status: 200 })
    }
    await over((await caller.post('/push/one', { ...android, msg: 'Last', sound: '', badge: '' })).body.id)
    expect(withdrawals([iphone, android, ipad, late])).toEqual([])
  })

  test('reaches no browser', async () => {
    const caller = newCaller(service)
    const { iphone, android, browser } = devicesOf(caller)
    await registered([iphone, android, browser], caller, { user: 'ann' })
    const id = await pushed(caller)
    await tapped(caller, id, browser)
    await arrivalsAt(simulator, 2, (one) => withdrawals([iphone, android]).includes(one))
    expect(withdrawals([browser])).toEqual([])
  })

  test('is for a tap, with an id and a token', async () => {
    const caller = newCaller(service)
    const { iphone, id } = await both(caller)
    expectFailure(
      await tapped(caller, id, iphone, { event: 'received' }),
      400,
      'InvalidArgument',
      'clear is only for a tap: event "opened" or "action".',
    )
    await expectInvalid((clear) => tapped(caller, id, iphone, { clear }), 'clear', [
      ['yes', 'must be true or false, not "yes"'],
      [1, 'must be true or false, not 1'],
    ])
    for (const name of ['id', 'token']) {
      const message = `${name} is required with clear.`
      expectFailure(await tapped(caller, id, iphone, { [name]: null }), 409, 'MissingParameter', message)
    }
    expect(await tapped(caller, UNKNOWN, iphone)).toMatchObject({ status: 200 })
    expect((await caller.get(`/push/${id}`)).body).toMatchObject({ o: 0 })
  })
})
