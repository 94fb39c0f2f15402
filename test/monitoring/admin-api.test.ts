import { describe, expect, test } from 'bun:test'
import { createFakeClock } from '../support/fake-clock.ts'
import { fileService } from '../support/file-service.ts'
import { passing } from '../support/passing.ts'

const clock = createFakeClock()
const service = await fileService({ clock, random: () => 0.5 })

const TOKEN = 'a1'.repeat(32)

async function ready(): Promise<{ status: number; body: any }> {
  const response = await fetch(`${service.adminUrl}/readyz`)
  return { status: response.status, body: await response.json() }
}

async function push(application = service.application): Promise<string> {
  await service.put('/deviceToken', { token: TOKEN, platform: 0 }, { application })
  const { body } = await service.post('/push/all', { platform: 0, msg: 'Hi', sound: '', badge: '' }, { application })
  return body.id
}

/** Lets time pass until the push has been sent. */
async function sent(id: string): Promise<void> {
  await passing(
    service,
    clock,
    service.logged(({ event, push: sentPush }) => event === 'push sent' && sentPush === id),
  )
}

test('/healthz answers on both listeners', async () => {
  for (const url of [service.url, service.adminUrl]) {
    const response = await fetch(`${url}/healthz`)
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  }
})

test.each(['/healthz', '/readyz', '/metrics'])('HEAD %s has the headers of GET, and no body', async (path) => {
  const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(service.adminUrl + path, { method })))
  if (get === undefined || head === undefined) throw new Error('no answer')
  expect([head.status, await head.text()]).toEqual([get.status, ''])
  for (const name of ['content-type', 'cache-control']) expect(head.headers.get(name)).toBe(get.headers.get(name))
  expect(head.headers.get('content-length')).toMatch(/^\d+$/)
})

describe('/readyz', () => {
  test('says that all is well', async () => {
    expect(await ready()).toEqual({
      status: 200,
      body: {
        status: 'ready',
        reasons: [],
        warnings: [],
        checks: {
          database: 'ok',
          queue: 'ok',
          credentials: 'ok',
          gateways: 'ok',
          disk: 'ok',
          backups: 'ok',
          quotas: 'ok',
          connections: 'ok',
        },
        version: expect.stringMatching(/^\d/),
        database: 'ok',
        paused: [],
        onSecondTransport: [],
      },
    })
  })

  test('writes at most every five seconds, and always with ?probe', async () => {
    const writes = async (path: string) => {
      const before = service.database.version()
      expect((await fetch(service.adminUrl + path)).status).toBe(200)
      return service.database.version() !== before
    }
    expect(await writes('/readyz?probe')).toBe(true)
    expect([await writes('/readyz'), await writes('/metrics'), await writes('/readyz')]).toEqual([false, false, false])
    expect(await writes('/readyz?probe')).toBe(true)
    clock.advance(4999)
    // Other due work may also write.
    for (let version = -1; version !== service.database.version(); await fetch(`${service.adminUrl}/healthz`)) {
      version = service.database.version()
    }
    expect(await writes('/readyz')).toBe(false)
    clock.advance(1)
    expect(await writes('/readyz')).toBe(true)
  })

  test('is on the admin listener only', async () => {
    expect((await service.get('/readyz')).status).toBe(404)
  })

  test('tells of a queue that stands still, until it moves', async () => {
    const simulator = await service.server.simulator()
    const answer = { status: 200, headers: {}, body: '' }
    simulator.answerWith(() => ({ kind: 'answer', answer, afterMs: 3000 }))
    const before = simulator.arrivals().length
    const began = clock.now()
    const id = await push()
    while (simulator.arrivals().length === before) await Bun.sleep(2)
    // No timer runs: as if an answer and its deadline were lost.
    for (let at = 0; at < 54_000; at += 9000) {
      clock.standStill(9000)
      await ready()
    }
    clock.standStill(began + 59_999 - clock.now())
    expect((await ready()).status).toBe(200)
    clock.standStill(1)
    expect(await ready()).toMatchObject({
      status: 503,
      body: {
        reasons: [`test: the queue to APNs has not moved since ${new Date(began).toISOString().slice(0, 19)}Z.`],
      },
    })
    simulator.answerWith(() => null)
    await sent(id)
    expect((await ready()).status).toBe(200)
  })

  test('does not mind who waits for another attempt', async () => {
    const simulator = await service.server.simulator()
    const answer = { status: 503, headers: {}, body: '{"reason":"ServiceUnavailable"}' }
    simulator.answerWith(({ gateway }) => (gateway === 'apns' ? { kind: 'answer', answer } : null))
    const id = await push()
    await service.logged(({ event }) => event === 'to be sent again' || event === 'sending paused')
    expect(await ready()).toMatchObject({ status: 200, body: { checks: { queue: 'ok' } } })
    simulator.answerWith(() => null)
    await sent(id)
  })

  test('names the application whose pushes wait for a credential', async () => {
    const application = service.addApplication('Café "Größe"', {}, false)
    const id = await push(application)
    const { status, body } = await ready()
    expect(status).toBe(503)
    expect(body).toMatchObject({
      status: 'not ready',
      reasons: ['Café "Größe": there is no credential for APNs; pushes are waiting.'],
      checks: { credentials: 'failed', queue: 'ok' },
      paused: [{ application: 'Café "Größe"', platform: 0, state: 'no-credential', open: 1 }],
    })
    service.simulate(application)
    await sent(id)
    expect((await ready()).status).toBe(200)
  })
})

describe('/simulator/received', () => {
  async function received(after?: number | string): Promise<any> {
    const query = after === undefined ? '' : `?after=${after}`
    return (await fetch(`${service.adminUrl}/simulator/received${query}`)).json()
  }

  test('has what applications that are simulated have sent, behind the number that is given', async () => {
    const before = (await received()).last
    const id = await push()
    await sent(id)
    const { last, received: all } = await received(before)
    expect(all).toEqual([
      {
        number: before + 1,
        at: expect.stringMatching(/^2026-/),
        application: service.application.id,
        platform: '0',
        token: 'a1a1a1a1a1a1',
        push: id,
        withdraws: null,
        title: null,
        subtitle: null,
        text: 'Hi',
        badge: null,
        category: null,
        hasImage: false,
        status: 200,
        reason: null,
      },
    ])
    expect(last).toBe(before + 1)
    expect(await received(last)).toEqual({ last, received: [] })
    expect((await received('x')).received.length).toBeGreaterThan(0)
  })
})
