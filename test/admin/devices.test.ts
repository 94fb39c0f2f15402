import { beforeAll, describe, expect, test } from 'bun:test'
import { createAdminCaller, eventsOf } from './admin-caller.ts'
import { fileService } from '../support/file-service.ts'

const PHONE = 'a1'.repeat(32)
const GONE = `bad41000${'0'.repeat(56)}`

const service = await fileService()
const call = createAdminCaller(service)
const path = `/api/applications/${service.application.id}`
const devices = [
  { token: PHONE, platform: 0, alias: 'front-desk', user: 'ann', tag: ['beta', 'staff'], active: ['news'] },
  { token: 'android-phone', platform: 1, user: 'ann', tag: ['beta'] },
  { token: GONE, platform: 0 },
]
for (const device of devices) expect((await call('PUT', `${path}/v1/deviceToken`, device)).status).toBe(201)

async function find(text: string, of = path) {
  const { status, body } = await call('GET', `${of}/devices/search?q=${encodeURIComponent(text)}`)
  expect(status).toBe(200)
  return { by: body.by, tokens: body.devices.map(({ token }: { token: string }) => token) }
}

describe('devices are found', () => {
  test.each([
    [PHONE, 'token', [PHONE]],
    [PHONE.slice(0, 9), 'token', [PHONE]],
    ['front-desk', 'alias', [PHONE]],
    ['ann', 'user', [PHONE, 'android-phone']],
    ['beta', 'tag', [PHONE, 'android-phone']],
    ['staff', 'tag', [PHONE]],
    ['nobody', null, []],
    ['bet', null, []],
    ["' OR 1=1 --", null, []],
    ['../../etc/passwd\u202E', null, []],
  ])('by %s', async (text, by, tokens) => {
    expect(await find(text)).toEqual({ by, tokens })
  })

  test('by one key alone where that is asked for', async () => {
    const named = { token: 'c3'.repeat(32), platform: 0, alias: 'beta' }
    const of = `/api/applications/${service.addApplication('Named').id}`
    await call('PUT', `${of}/v1/deviceToken`, named)
    await call('PUT', `${of}/v1/deviceToken`, { token: 'other', platform: 1, tag: ['beta'] })
    const tokensBy = async (by: string) =>
      (await call('GET', `${of}/devices/search?q=beta${by}`)).body.devices.map(({ token }: { token: string }) => token)
    expect([await tokensBy(''), await tokensBy('&by=tag')]).toEqual([[named.token], ['other']])
    expect(await call('GET', `${of}/devices/search?q=beta&by=nose`)).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message: 'by must be one of token, alias, user, tag.' },
    })
  })

  test('in their own application alone', async () => {
    const other = service.addApplication('Other')
    expect(await find('ann', `/api/applications/${other.id}`)).toEqual({ by: null, tokens: [] })
    const [{ device }] = (await call('GET', `${path}/devices/search?q=front-desk`)).body.devices
    expect((await call('GET', `/api/applications/${other.id}/devices/${device}`)).status).toBe(404)
  })

  test('when it is said what to look for', async () => {
    expect(await call('GET', `${path}/devices/search`)).toMatchObject({
      status: 409,
      body: { code: 'MissingParameter', message: 'q is required.' },
    })
    expect(await call('GET', `${path}/devices/search?q=${'x'.repeat(4097)}`)).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message: 'q must be at most 4096 characters.' },
    })
  })
})

describe('users are listed', () => {
  let of: string
  const listed = async (query: string) => (await call('GET', `${of}/users${query}`)).body
  beforeAll(async () => {
    of = `/api/applications/${service.addApplication('Crowd').id}`
    // All but the first have a device, she three: one of them is gone once it was sent to.
    const users = ['ann', ...Array.from({ length: 100 }, (_, n) => `user-${String(n).padStart(3, '0')}`)]
    const tokens = (user: string) => (user === 'ann' ? [GONE, `${user}-1`, `${user}-2`] : [user])
    for (const user of users) {
      for (const token of tokens(user)) {
        const platform = token === GONE ? 0 : 1
        expect((await call('PUT', `${of}/v1/deviceToken`, { token, platform, user })).status).toBe(201)
      }
    }
    await call('PUT', `${of}/v1/deviceToken`, { token: 'nobody', platform: 1 })
  })

  test('in the order of their IDs, a hundred at a time', async () => {
    const first = await listed('')
    expect(first.users).toHaveLength(100)
    expect(first.users[0].user).toBe('ann')
    expect(first.users[1]).toEqual({ user: 'user-000', registered: 1, left: 0 })
    expect(first.next).toBe('user-098')
    expect(await listed(`?after=${first.next}`)).toEqual({
      users: [{ user: 'user-099', registered: 1, left: 0 }],
      next: null,
    })
  })

  test('by how their ID begins', async () => {
    expect((await listed('?q=user-01')).users.map(({ user }: { user: string }) => user)).toEqual(
      Array.from({ length: 10 }, (_, n) => `user-01${n}`),
    )
    expect(await listed('?q=an_')).toEqual({ users: [], next: null })
  })

  test('with the devices that have left counted apart', async () => {
    const push = { token: GONE, platform: 0, msg: 'Hello', sound: '', badge: '' }
    const { id } = (await call('POST', `${of}/v1/push/one`, push)).body
    await Array.fromAsync(eventsOf(await call.open(`/api/pushes/${id}/live`)))
    expect((await listed('?q=ann')).users).toEqual([{ user: 'ann', registered: 2, left: 1 }])
    expect((await call('GET', `${path}/users`)).body.users).toEqual([{ user: 'ann', registered: 2, left: 0 }])
  })
})

describe('devices are listed', () => {
  let of: string
  const tokens = async (query: string) => {
    const { status, body } = await call('GET', `${of}/devices${query}`)
    expect(status).toBe(200)
    return body.devices.map(({ token }: { token: string }) => token) as string[]
  }
  beforeAll(async () => {
    of = `/api/applications/${service.addApplication('Listed').id}`
    const devices = [
      { token: GONE, platform: 0, user: 'ann' },
      { token: 'one', platform: 1, user: 'ann', tag: ['beta'], app_version: '1.0' },
      { token: PHONE, platform: 0, tag: ['beta'], app_version: '2.0' },
      { token: 'two', platform: 1, user: 'bob', app_version: '2.0' },
    ]
    for (const device of devices) expect((await call('PUT', `${of}/v1/deviceToken`, device)).status).toBe(201)
    const push = { token: GONE, platform: 0, msg: 'Hello', sound: '', badge: '' }
    const { id } = (await call('POST', `${of}/v1/push/one`, push)).body
    await Array.fromAsync(eventsOf(await call.open(`/api/pushes/${id}/live`)))
  })

  test.each([
    ['', ['two', PHONE, 'one']],
    ['?platform=1', ['two', 'one']],
    ['?tag=beta', [PHONE, 'one']],
    ['?user=ann', ['one']],
    ['?user=ann&tag=beta&platform=0', []],
    ['?version=2.0', ['two', PHONE]],
    ['?version=2.0&tag=beta', [PHONE]],
    ['?state=gone', [GONE]],
    ['?state=gone&user=ann', [GONE]],
    ['?state=gone&platform=1', []],
    ['?state=quarantined', []],
    ['?tag=nobody', []],
  ])('newest first, by what is asked for: %s', async (query, expected) => {
    expect(await tokens(query)).toEqual(expected)
  })

  test('fifty at a time', async () => {
    const many = `/api/applications/${service.addApplication('Many').id}`
    const batch = (start: number, length: number) => Array.from({ length }, (_, n) => `phone-${start + n}`)
    await call('PUT', `${many}/v1/deviceToken/batch`, { platform: '1', tokens: batch(0, 60) })
    const first = (await call('GET', `${many}/devices?platform=1`)).body
    expect(first.devices).toHaveLength(50)
    const second = (await call('GET', `${many}/devices?platform=1&before=${first.next}`)).body
    expect(second.devices).toHaveLength(10)
    expect(second.next).toBeNull()
    const all = [...first.devices, ...second.devices].map(({ token }: { token: string }) => token)
    expect(new Set(all)).toEqual(new Set(batch(0, 60)))
  })

  test.each([
    ['state=lost', 'state is not known: "lost".'],
    ['platform=7', 'platform is not known: "7".'],
  ])('unless %s', async (query, message) => {
    expect(await call('GET', `${path}/devices?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message },
    })
  })
})

describe('a user', () => {
  test('is shown with all devices, and what became of the last pushes on each', async () => {
    const of = `/api/applications/${service.addApplication('Users').id}`
    const devices = [
      { token: PHONE, platform: 0, user: 'ann/of shop' },
      { token: 'android-phone', platform: 1, user: 'ann/of shop' },
      { token: 'other', platform: 1, user: 'bob' },
    ]
    for (const device of devices) await call('PUT', `${of}/v1/deviceToken`, device)
    const all = { platform: [0, 1], sound: '', badge: '', title: 'One', msg: 'Hello' }
    const { id } = (await call('POST', `${of}/v1/push/all`, all)).body
    await Array.fromAsync(eventsOf(await call.open(`/api/pushes/${id}/live`)))
    const { status, body } = await call('GET', `${of}/users/${encodeURIComponent('ann/of shop')}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: 'ann/of shop', devices: [{ token: PHONE }, { token: 'android-phone' }] })
    expect(body.pushes).toMatchObject([
      { push: id, title: 'One', verdict: 'accepted', device: body.devices[0].device },
      { push: id, title: 'One', verdict: 'accepted', device: body.devices[1].device },
    ])
  })

  test('whom no device has is none', async () => {
    expect(await call('GET', `${path}/users/nobody`)).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound', message: 'No user found' },
    })
  })
})

describe('a device', () => {
  test('is shown with what became of the last pushes, and why', async () => {
    const all = { platform: [0, 1], sound: '', badge: '' }
    const first = (await call('POST', `${path}/v1/push/all`, { ...all, title: 'One', msg: 'Hello' })).body.id
    await Array.fromAsync(eventsOf(await call.open(`/api/pushes/${first}/live`)))
    await call('POST', `${path}/v1/push/all`, { ...all, msg: 'For others', tags: ['staff'] })

    const [{ device }] = (await call('GET', `${path}/devices/search?q=${GONE}`)).body.devices
    const gone = await call('GET', `${path}/devices/${device}`)
    expect(gone.body).toMatchObject({
      device: { device, token: GONE, platform: '0', state: 'gone', alias: null, tag: [] },
      pushes: [
        { verdict: 'gone', explanation: expect.stringContaining('it was not addressed') },
        { push: first, title: 'One', verdict: 'gone', reason: 'Unregistered', explanation: expect.any(String) },
      ],
    })

    const [phone] = (await call('GET', `${path}/devices/search?q=front-desk`)).body.devices
    expect(phone).toMatchObject({ alias: 'front-desk', user: 'ann', tag: ['beta', 'staff'], active: ['news'] })
    const { body } = await call('GET', `${path}/devices/${phone.device}`)
    expect(body.pushes).toHaveLength(2)
    expect(body.pushes[1]).toMatchObject({ push: first, verdict: 'accepted' })
  })

  test.each(['0', '999', '-1', 'x', '1e3', '9'.repeat(20)])('%s is none', async (device) => {
    expect(await call('GET', `${path}/devices/${device}`)).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound', message: 'No device found' },
    })
  })
})
