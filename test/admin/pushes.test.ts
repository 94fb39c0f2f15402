import { describe, expect, test } from 'bun:test'
import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import { systemClock } from '../../src/clock.ts'
import { fileService } from '../support/file-service.ts'
import { until } from '../support/until.ts'
import { createAdminCaller, eventsOf } from './admin-caller.ts'

const service = await fileService()
const call = createAdminCaller(service)
const path = `/api/applications/${service.application.id}`
const devices = [
  { token: 'a1'.repeat(32), platform: 0 },
  { token: 'b2'.repeat(32), platform: 0 },
  { token: 'android', platform: 1 },
]
for (const device of devices) await call('PUT', `${path}/v1/deviceToken`, device)

async function push(msg: string, more: object = {}): Promise<string> {
  const all = { platform: [0, 1], sound: '', badge: '', title: 'Shop', msg, ...more }
  const { status, body } = await call('POST', `${path}/v1/push/all`, all)
  expect(status).toBe(200)
  return body.id
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** Everything that is told of a push. */
async function followed(id: string) {
  const response = await call.open(`/api/pushes/${id}/live`)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return await Array.fromAsync(eventsOf(response))
}

describe('a push that is followed', () => {
  test('is told of until it is over', async () => {
    const id = await push('Hello')
    const events = await followed(id)
    expect(events.at(-1)).toEqual({ event: 'end', data: {} })
    expect(events.at(-2)).toMatchObject({
      event: 'progress',
      data: {
        id,
        title: 'Shop',
        msg: 'Hello',
        many: true,
        state: 'finished',
        addressed: 3,
        accepted: 3,
        failed: 0,
        waiting: 0,
        application: { id: service.application.id },
      },
    })
    expect(await followed(id)).toHaveLength(2)
  })

  test('ends with the token of whoever follows', async () => {
    const id = await push('Later', { send_at: inAnHour() })
    const tokens = createAdminTokenStore({ database: service.database, clock: systemClock })
    const headers = { authorization: `Bearer ${tokens.add('short', { purpose: 'read', expiresAt: null })}` }
    const response = await fetch(`${service.adminUrl}/api/pushes/${id}/live`, { headers })
    const events = eventsOf(response)
    expect((await events.next()).value).toMatchObject({ event: 'progress', data: { state: 'scheduled' } })
    tokens.revoke('short')
    expect(await events.next()).toMatchObject({ done: true })
    // The end of the token is not the end of the push.
    await call('POST', `${path}/v1/push/${id}/cancel`)
  })

  test('is let go with the page, so that others may follow', async () => {
    const id = await push('Watched', { send_at: inAnHour() })
    const open = await Promise.all(Array.from({ length: 20 }, () => call.open(`/api/pushes/${id}/live`)))
    const refused = await call('GET', `/api/pushes/${id}/live`)
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'TooManyRequestsError', message: 'Too many pages are following events: close one.' },
    })
    await open.pop()?.body?.cancel()
    await until(async () => {
      const response = await call.open(`/api/pushes/${id}/live`)
      if (response.ok) open.push(response)
      else await response.body?.cancel()
      return response.ok
    })
    await call('POST', `${path}/v1/push/${id}/cancel`)
    for (const response of open) {
      const events = await Array.fromAsync(eventsOf(response))
      expect(events.at(-2)).toMatchObject({ data: { state: 'cancelled' } })
    }
    expect(await followed(id)).toHaveLength(2)
  })

  test('is one that there is', async () => {
    for (const id of ['none', '01a203b2-1531-7046-87c8-515a3e10b02c']) {
      expect(await call('GET', `/api/pushes/${id}/live`)).toMatchObject({
        status: 404,
        body: { code: 'ResourceNotFound', message: 'No push found' },
      })
    }
  })
})

describe('the pushes of an application', () => {
  test('come in pages, the newest first', async () => {
    const [first, second] = [await push('One'), await push('Two')]
    await followed(second)
    const { body } = await call('GET', `${path}/pushes?limit=1`)
    expect(body.pushes).toMatchObject([{ id: second, msg: 'Two', addressed: 3, sendAt: null, local: null }])
    const next = await call('GET', `${path}/pushes?limit=1&before=${body.next}`)
    expect(next.body.pushes).toMatchObject([{ id: first, msg: 'One' }])
    const all = await call('GET', `${path}/pushes`)
    expect(all.body.next).toBeNull()
  })

  test('are held as long as the hold of their application keeps them back, and scheduled beyond', async () => {
    const held = service.addApplication('Held')
    const of = `/api/applications/${held.id}`
    await call('PATCH', of, { holdSeconds: 600 })
    const all = { platform: [0, 1], sound: '', badge: '', msg: 'Wait' }
    await call('POST', `${of}/v1/push/all`, all)
    await call('POST', `${of}/v1/push/all`, { ...all, send_at: new Date(Date.now() + 700_000).toISOString() })
    const { body } = await call('GET', `${of}/pushes`)
    expect(body.pushes).toMatchObject([{ state: 'scheduled' }, { state: 'held' }])
  })

  test.each([
    ['limit=0', 'limit must be a whole number from 1 to 200, not "0".'],
    ['before=x', 'before must be a whole number from 1 to 9007199254740991, not "x".'],
  ])('refuse %s', async (query, message) => {
    expect(await call('GET', `${path}/pushes?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message },
    })
  })
})

describe('the overview', () => {
  test('has the days, the devices and the last pushes', async () => {
    const id = await push('Seen')
    await followed(id)
    const { status, body } = await call('GET', '/api/overview')
    expect(status).toBe(200)
    const own = body.attention.filter(({ application }: any) => application?.id === service.application.id)
    expect(own).toEqual([])
    expect(body.days).toHaveLength(30)
    expect(body.days.at(-1)).toMatchObject({ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), registered: 3, lost: 0 })
    expect(body.days[0].registered).toBeNull()
    expect(body.days.at(-1).accepted).toBeGreaterThanOrEqual(3)
    expect(body.devices).toMatchObject({ total: 3, byState: { gone: 0, quarantined: 0 } })
    expect(body.pushes.length).toBeWithin(1, 6)
    expect(body.pushes[0]).toMatchObject({ id, msg: 'Seen', application: { id: service.application.id } })
  })

  test('has as many days as are asked for', async () => {
    const { body } = await call('GET', '/api/overview?days=90')
    expect(body.days).toHaveLength(90)
    expect(body.days.at(-1).accepted).toBe((await call('GET', '/api/overview')).body.days.at(-1).accepted)
    expect((await call('GET', '/api/overview?days=91')).status).toBe(400)
  })

  test('has what is scheduled, soonest first, until it is cancelled', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const later = await push('Later', { send_at: at(3) })
    const sooner = await push('Sooner', { send_at: at(2) })
    const scheduled = async () =>
      (await call('GET', '/api/overview')).body.scheduled.map(({ id }: { id: string }) => id) as string[]
    const ours = (ids: readonly string[]) => ids.filter((id) => [later, sooner].includes(id))
    expect(ours(await scheduled())).toEqual([sooner, later])
    for (const id of [sooner, later]) {
      await call('POST', `${path}/v1/push/${id}/cancel`)
      expect(await scheduled()).not.toContain(id)
    }
  })

  test('has a push by local time until its last time zone, once', async () => {
    const local = new Date().toISOString().slice(0, 16)
    const id = await push('Local', { send_at_local: local })
    await until(async () => (await call('GET', `${path}/v1/push/${id}`)).body.state === 'sending')
    const scheduled = async (): Promise<any[]> =>
      (await call('GET', '/api/overview')).body.scheduled.filter((one: any) => one.msg === 'Local')
    expect(await scheduled()).toMatchObject([{ id, state: 'sending', local, passed: [] }])
    await call('POST', `${path}/v1/push/${id}/cancel`)
    expect(await scheduled()).toEqual([])
  })

  test('says what needs attention, in the words of doctor', async () => {
    const { id } = service.addApplication('Bare', {}, false)
    expect((await call('GET', `/api/applications/${id}`)).status).toBe(200)
    const { body } = await call('GET', '/api/overview')
    const levels: string[] = body.attention.map(({ level }: { level: string }) => level)
    expect(levels).toEqual(levels.toSorted())
    expect(body.attention).toContainEqual({
      level: 'warning',
      text: 'It has no credential: pushes have nowhere to go.',
      fix: expect.stringContaining(`bellhop app apns ${id}`),
      application: { id, name: 'Bare' },
    })
  })
})
