import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HOUR_MS, systemClock } from '../../src/clock.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { commandLine } from '../cli/command-line.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { passing } from '../support/passing.ts'
import { acceptedPush, registerDevice, registerDevices, tokenOf, tokensOf } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { moveBetween, newToken, NONE, servedBy, wireTo } from './move-between.ts'
import type { Step } from './move-between.ts'

let gateways: OutsideGateways
let from: Service
let to: Service
const cli = commandLine()
const arrived: ReceivedPush[] = []
beforeAll(async () => {
  gateways = await startOutsideGateways(systemClock)
  gateways.simulator.onArrival((arrival) => arrived.push(arrival))
  from = await startService({ application: NONE, config: { ...gateways.config, webhookPrivate: true } })
  to = await startService({ application: NONE, config: { ...gateways.config, webhookPrivate: true } })
})
afterAll(async () => {
  cli[Symbol.dispose]()
  await Promise.all([from, to].map((service) => service[Symbol.asyncDispose]()))
  await gateways[Symbol.asyncDispose]()
})

let made = 0
/** Sends through the gateways, with a credential of its own. */
function newApplication(on: Service = from): Credentials {
  const application = on.addApplication(`shop ${++made}`, {}, false)
  on.equip(application, gateways.simulator)
  return application
}

const moveThere = (application: Credentials, more: Parameters<typeof moveBetween>[4] = {}) =>
  moveBetween(cli, application, from, to, more)

const arrivalsOf = (push: string) => arrived.filter(({ collapse, status }) => collapse === push && status === 200)

const bellhop = (service: Service, ...argv: string[]) => cli.run(argv, { BELLHOP_DATA: service.data })

describe('an application that moves', () => {
  test('has its devices, secret, credentials, hooks and pushes there, with the ids that callers know', async () => {
    const application = newApplication()
    const as = { application }
    const userKey = from.makeUserKey(application)
    const vapid = from.makeWebPushKey(application)
    await registerDevice(from, { token: tokenOf(1, 1), platform: 1, tag: ['vip'], user: 'ann', alias: 'a1' }, as)
    const push = await acceptedPush(from, '/push/all', { platform: 1 }, as)
    await until(() => arrivalsOf(push).length === 1)
    const file = cli.file('template.json', JSON.stringify({ push: { users: ['{{ user }}'], msg: 'Hi', sound: '' } }))
    const hook = await bellhop(from, 'hook', 'create', application.id, `paid-${made}`, '--template', file, '--json')
    const { path } = JSON.parse(hook.stdout)
    const headers = { 'idempotency-key': 'once' }
    const repeated = { platform: 1, msg: 'Once', sound: '', badge: '' }
    const { body: once } = await from.post('/push/all', repeated, { ...as, headers })

    const moved = await moveThere(application)
    expect(moved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Copying.') })
    expect(moved.stdout).toContain(`has moved with 1 device. Calls waited `)
    expect(servedBy([from, to], application)).toEqual(['the second'])
    const found = await to.get('/deviceToken/one', { ...as, headers: { token: tokenOf(1, 1) } })
    expect(found.body).toMatchObject({ tag: ['vip'], user: 'ann', alias: 'a1' })
    expect((await to.get(`/push/${push}`, as)).body).toMatchObject({ t: 1, s: 1, state: 'finished' })
    expect((await to.post('/push/all', repeated, { ...as, headers })).body.id).toBe(once.id)
    expect((await to.get('/pushes', { application: { ...application, secret: 'bhs_wrong' } })).status).toBe(401)
    const event = await fetch(to.url + path, {
      method: 'POST',
      body: '{"user":"ann"}',
      headers: { 'content-type': 'application/json' },
    })
    const { id: hooked } = (await event.json()) as { id: string }
    // Uses the moved credential.
    await until(() => arrivalsOf(hooked).length === 1)
    expect((await (await fetch(`${to.url}/webpush/${application.id}/key`)).json()) as object).toEqual({
      publicKey: vapid,
    })
    const shown = await bellhop(to, 'app', 'show', application.id, '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({ devices: 1, userKey: {}, credentials: [{}, {}, {}] })
    expect(userKey).toStartWith('bhu_')
    for (const [service, action] of [
      [from, 'move application'],
      [to, 'receive application'],
    ] as const) {
      const { stdout } = await bellhop(service, 'audit', application.id, '--json')
      const entries = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(entries.find((entry) => entry.action === action)).toMatchObject({ result: 'ok' })
    }
  })

  test('finishes there a push that was in the middle of it, and nobody gets it twice', async () => {
    const application = newApplication()
    const as = { application }
    const tokens = await registerDevices(from, 1, tokensOf(1, 4000), as)
    const push = await acceptedPush(from, '/push/all', { platform: 1 }, as)
    await until(() => arrivalsOf(push).length > 0)
    expect((await moveThere(application)).exitCode).toBe(0)
    await until(async () => (await to.get(`/push/${push}`, as)).body.state === 'finished')
    expect(
      arrivalsOf(push)
        .map(({ token }) => token)
        .toSorted(),
    ).toEqual(tokens.toSorted())
    expect((await to.get(`/push/${push}`, as)).body).toMatchObject({ t: 4000, s: 4000, failed: { total: 0 } })
  }, 60_000)

  test('sends there what waits for another attempt, or for its time', async () => {
    const application = newApplication()
    const as = { application }
    await registerDevice(from, { token: 'unavailable-1:moves', platform: 1 }, as)
    await registerDevice(from, { token: tokenOf(1, 7), platform: 1 }, as)
    const retried = await acceptedPush(from, '/push/all', { platform: 1 }, as)
    await until(() => arrivalsOf(retried).length === 1)
    const waiting = from.database.statement(`SELECT 1 FROM push_exception WHERE state = 'retry'`)
    await until(() => waiting.get() !== null)
    const at = new Date(Date.now() + HOUR_MS).toISOString()
    const scheduled = await acceptedPush(from, '/push/all', { platform: 1, send_at: at }, as)
    // The old server does not hear that they are due.
    from.database.statement(`UPDATE push_exception SET due_at = 1 WHERE state = 'retry'`).run()
    from.database.statement('UPDATE delivery SET waits_until = 1 WHERE waits_until IS NOT NULL').run()
    from.database
      .statement<never, [number, string]>('UPDATE push SET send_at = ? WHERE id = ?')
      .run(Date.now(), scheduled)
    expect((await moveThere(application)).exitCode).toBe(0)
    await until(() => arrivalsOf(scheduled).length === 2 && arrivalsOf(retried).length === 2)
    expect(servedBy([from, to], application)).toEqual(['the second'])
  }, 60_000)

  test('loses nothing that was acknowledged while it moved, and accepts calls all the time but for some 503', async () => {
    const application = newApplication()
    const as = { application }
    await registerDevices(from, 1, tokensOf(1, 3000), as)
    const registered: string[] = []
    const pushes: string[] = []
    const refused = new Set<number>()
    const state = { ended: false }
    async function call(worker: number): Promise<void> {
      for (let n = 0; !state.ended; n++) {
        const token = `phone:w${worker}-${n}`
        const answer = await from.put('/deviceToken', { token, platform: 1, user: token }, { ...as, as: 'device' })
        if (answer.status === 201) registered.push(token)
        else refused.add(answer.status)
        if (n % 5 !== 0) continue
        const pushed = await from.post('/push/one', { token, platform: 1, msg: 'x', sound: '', badge: '' }, as)
        if (pushed.status === 200) pushes.push(pushed.body.id)
        else if (answer.status === 201 || pushed.status !== 404) refused.add(pushed.status)
      }
    }
    const workers = [0, 1, 2, 3].map(call)
    await until(() => registered.length > 20)
    expect(await moveThere(application)).toMatchObject({ exitCode: 0 })
    const then = registered.length
    await until(() => registered.length > then + 20)
    state.ended = true
    await Promise.all(workers)
    expect([...refused].filter((status) => status !== 503)).toEqual([])
    const there = to.database.statement<{ token: string }, [string]>(
      'SELECT token FROM device WHERE application = (SELECT number FROM application WHERE id = ?)',
    )
    const tokens = new Set(there.all(application.id).map(({ token }) => token))
    expect(registered.filter((token) => !tokens.has(token))).toEqual([])
    const statuses = await Promise.all(pushes.map((id) => to.get(`/push/${id}`, as)))
    expect(statuses.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
    await until(() => pushes.every((id) => arrivalsOf(id).length > 0))
    expect(pushes.filter((id) => arrivalsOf(id).length !== 1)).toEqual([])
  }, 120_000)

  test('refuses a call that was admitted before it moved, and whose body came after', async () => {
    const application = newApplication()
    const late = Promise.withResolvers<void>()
    const body = JSON.stringify({ token: 'phone:late', platform: 1 })
    const answered = fetch(`${from.url}/deviceToken`, {
      method: 'PUT',
      headers: { 'accept-version': '1', 'content-type': 'application/json', 'x-service-appid': application.id },
      body: new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from(body.slice(0, 5)))
          await late.promise
          controller.enqueue(Buffer.from(body.slice(5)))
          controller.close()
        },
      }),
    })
    expect(await moveThere(application)).toMatchObject({ exitCode: 0 })
    late.resolve()
    const { status, headers } = await answered
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  })

  test('comes back again, and goes once more', async () => {
    const application = newApplication()
    const as = { application }
    await registerDevice(from, { token: tokenOf(1, 1), platform: 1, tag: ['x'] }, as)
    for (const [here, there, name] of [
      [from, to, 'the second'],
      [to, from, 'the first'],
      [from, to, 'the second'],
    ] as const) {
      expect(await moveBetween(cli, application, here, there)).toMatchObject({ exitCode: 0 })
      expect(servedBy([from, to], application)).toEqual([name])
      for (const service of [from, to]) {
        expect(
          (await service.get('/deviceToken/one', { ...as, headers: { token: tokenOf(1, 1) } })).body,
        ).toMatchObject({
          tag: ['x'],
        })
      }
    }
    const push = await acceptedPush(from, '/push/all', { platform: 1, tags: ['x'] }, as)
    await until(() => arrivalsOf(push).length === 1)
  }, 60_000)

  test('is erased on the server that it left, once that has forwarded for a minute', async () => {
    const application = newApplication()
    await registerDevice(from, { token: tokenOf(1, 1), platform: 1 }, { application })
    const { number } = from.database
      .statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
      .get(application.id)!
    await moveThere(application)
    // `--finish` does not wait for the minute.
    expect(await bellhop(from, 'app', 'move', application.id)).toMatchObject({
      stdout: expect.stringContaining(`has moved to ${to.url}`),
    })
    expect(await bellhop(from, 'app', 'move', application.id, '--finish')).toMatchObject({ exitCode: 0 })
    for (const table of ['device', 'credential', 'push']) {
      const left = from.database.statement<{ n: number }, [number]>(
        `SELECT count(*) AS n FROM ${table} WHERE application = ?`,
      )
      expect([table, left.get(number)]).toEqual([table, { n: 0 }])
    }
    expect((await from.get('/pushes', { application })).status).toBe(401)
    expect((await to.get('/pushes', { application })).status).toBe(200)
    expect(await bellhop(from, 'app', 'move', application.id, '--finish')).toMatchObject({
      exitCode: 1,
      stderr: `bellhop: No application "${application.id}" has moved from here.\n`,
    })
  })
})

describe('a call to the server that an application has left', () => {
  test('is answered by the other: of devices, backends, hooks and pages', async () => {
    const application = newApplication()
    const as = { application }
    const vapid = from.makeWebPushKey(application)
    await moveThere(application)
    await registerDevice(from, { token: tokenOf(1, 1), platform: 1 }, { ...as, as: 'device' })
    expect((await to.get('/deviceToken/one', { ...as, headers: { token: tokenOf(1, 1) } })).status).toBe(200)
    const push = await acceptedPush(from, '/push/all', { platform: 1 }, as)
    await until(() => arrivalsOf(push).length === 1)
    expect(
      (await from.put('/stats', { push, token: tokenOf(1, 1), platform: 1 }, { ...as, as: 'device' })).status,
    ).toBeLessThan(300)
    expect((await (await fetch(`${from.url}/webpush/${application.id}/key`)).json()) as object).toEqual({
      publicKey: vapid,
    })
    const wrong = await from.get('/pushes', { application: { ...application, secret: 'bhs_wrong' } })
    expect(wrong).toMatchObject({ status: 401, body: { code: 'InvalidCredentials' } })
    const large = await from.put('/deviceToken', `"${'x'.repeat(300_000)}"`, as)
    expect(large).toMatchObject({ status: 413, body: { code: 'RequestEntityTooLargeError' } })
  })

  test('counts there for its own address, which nobody else can claim', async () => {
    const application = newApplication()
    from.limit(application, { rate: 1, burst: 2 })
    await moveThere(application)
    const call = (headers: Record<string, string> = {}) =>
      fetch(`${to.url}/deviceToken/one`, {
        headers: { 'accept-version': '1', 'x-service-appid': application.id, token: 'phone:1', ...headers },
      }).then(({ headers: answered }) => answered.get('ratelimit-remaining'))
    expect([await call(), await call({ 'x-bellhop-move': 'bhm_guess', 'x-bellhop-caller': '192.0.2.1' })]).toEqual([
      '1',
      '0',
    ])
  })

  test('gets 503 while the other does not answer', async () => {
    const application = newApplication()
    const deaf = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ status: 'ok' }) })
    const url = `http://127.0.0.1:${deaf.port}`
    expect(await moveThere(application, { more: ['--url', url] })).toMatchObject({ exitCode: 0 })
    await deaf.stop(true)
    const answer = await from.get('/pushes', { application })
    expect(answer).toMatchObject({
      status: 503,
      body: {
        code: 'ServiceUnavailableError',
        message: 'The server that has this application does not answer: repeat the call.',
      },
    })
    expect(answer.headers.get('retry-after')).toBe('5')
  })
})

describe('a move that cannot be', () => {
  const refused = (sentence: string) => ({ exitCode: 1, stdout: '', stderr: expect.stringContaining(sentence) })

  async function staysHere(application: Credentials): Promise<void> {
    expect(servedBy([from, to], application)).toEqual(['the first'])
    await registerDevice(from, { token: `phone:after-${crypto.randomUUID()}`, platform: 1 }, { application })
    const push = await acceptedPush(from, '/push/all', { platform: 1 }, { application })
    await until(() => arrivalsOf(push).length > 0)
  }

  test('says why, and changes nothing: a token that is wrong, or for less', async () => {
    const application = newApplication()
    expect(await moveThere(application, { token: `bha_${'x'.repeat(43)}` })).toEqual(refused('refused this token'))
    expect(await moveThere(application, { token: newToken(to, 'operate') })).toEqual(
      refused('does not take the application: '),
    )
    expect(await moveThere(application, { token: 'something' })).toEqual(refused('does not contain a token'))
    await staysHere(application)
  })

  test('to an older server, or one of another schema', async () => {
    const application = newApplication()
    await using old = wireTo(to.adminUrl, () =>
      Response.json({ code: 'ResourceNotFound', message: '/api/arrivals does not exist' }, { status: 404 }),
    )
    expect(await moveThere(application, { adminUrl: old.adminUrl })).toEqual(
      refused('is an older Bellhop, which cannot take applications'),
    )
    const offer = await fetch(`${to.adminUrl}/api/arrivals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${newToken(to)}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        schema: 39,
        version: '0.0.9',
        id: application.id,
        name: 'x',
        hooks: ['none'],
        bytes: 0,
      }),
    })
    expect([offer.status, await offer.json()]).toEqual([
      409,
      {
        code: 'ConflictError',
        message: expect.stringMatching(
          /^This server is Bellhop \S+ with schema \d+, the other is 0\.0\.9 with schema 39: bring both to the same version first\.$/,
        ),
      },
    ])
    await staysHere(application)
  })

  test('to a server that has the name, a hook of the name, or the application itself', async () => {
    const application = newApplication()
    const file = cli.file('template.json', JSON.stringify({ push: { users: ['ann'], msg: 'Hi', sound: '' } }))
    const other = to.addApplication(`shop ${made}`)
    expect(await moveThere(application)).toEqual(refused(`Another application of this server is named "shop ${made}".`))
    to.remove(other)
    const third = newApplication(to)
    await bellhop(to, 'hook', 'create', third.id, 'taken', '--template', file)
    await bellhop(from, 'hook', 'create', application.id, 'taken', '--template', file)
    expect(await moveThere(application)).toEqual(refused('has a hook named "taken"'))
    expect(await bellhop(from, 'hook', 'delete', 'taken', '--yes')).toMatchObject({ exitCode: 0 })
    expect(await moveBetween(cli, application, from, from)).toEqual(refused('is already on this server'))
    await staysHere(application)
    expect(await moveThere(application)).toMatchObject({ exitCode: 0 })
  })

  test('to a server whose disk is too small for it, or fills up while it comes', async () => {
    let freeBytes = 1024
    const clock = createFakeClock(Date.now())
    await using full = await startService({ application: NONE, clock, disk: () => ({ sizeBytes: 1e9, freeBytes }) })
    const application = newApplication()
    await registerDevices(from, 1, tokensOf(1, 100), { application })
    expect(await moveBetween(cli, application, from, full)).toEqual(refused("The server's disk is nearly full"))
    freeBytes = 1e9
    await using wire = wireTo(full.adminUrl, (step) => {
      if (step === 'rows') {
        freeBytes = 1024
        // It checks its disk every second.
        clock.advance(1000)
      }
      return 'passes'
    })
    const late = await moveBetween(cli, application, from, full, { adminUrl: wire.adminUrl })
    expect(late).toEqual({
      ...refused("The server's disk is nearly full"),
      stderr: expect.stringContaining('Copying.'),
    })
    await until(() => wire.steps.includes('drop'))
    await staysHere(application)
  })

  test('where a push hangs, an unknown application, or what is given makes no sense', async () => {
    expect(await bellhop(from, 'app', 'move', 'Nope')).toEqual(refused('There is no application "Nope"'))
    const application = newApplication()
    const wrong = (sentence: string) => ({ exitCode: 2, stdout: '', stderr: expect.stringContaining(sentence) })
    const ask = (...more: string[]) => bellhop(from, 'app', 'move', application.id, ...more)
    expect(await ask('--to', 'http://push.example.com', '--to-token-file', 'x')).toEqual(wrong('--to must be https'))
    expect(await ask('--to', 'https://push.example.com')).toEqual(wrong('--to-token-file must name a file'))
    expect(await ask('--url', 'https://push.example.com')).toEqual(wrong('--to URL is missing.'))
    expect(await ask()).toMatchObject({ exitCode: 0, stdout: `"shop ${made}" is on this server.\n` })
  })
})

describe('a move that breaks', () => {
  /** Until the other server has everything. */
  const BEFORE: readonly Step[] = ['begin', 'rows', 'complete']

  for (const step of BEFORE) {
    for (const fate of ['is lost', 'loses its answer'] as const) {
      test(`leaves the application where it was: ${step} ${fate}`, async () => {
        const application = newApplication()
        await registerDevice(from, { token: tokenOf(1, 1), platform: 1 }, { application })
        let isBroken = true
        await using wire = wireTo(to.adminUrl, (one) => (one === step && isBroken ? fate : 'passes'))
        expect(await moveThere(application, { adminUrl: wire.adminUrl })).toMatchObject({ exitCode: 1 })
        expect(servedBy([from, to], application)).toEqual(['the first'])
        const push = await acceptedPush(from, '/push/all', { platform: 1 }, { application })
        await until(() => arrivalsOf(push).length === 1)
        await until(() => wire.steps.includes('drop'))
        isBroken = false
        expect(await moveThere(application, { adminUrl: wire.adminUrl })).toMatchObject({ exitCode: 0 })
        expect(servedBy([from, to], application)).toEqual(['the second'])
      })
    }
  }

  test('in telling goes on until the other server has heard, and calls get 503 meanwhile', async () => {
    const clock = createFakeClock(Date.now())
    await using leaving = await startService({ application: NONE, clock, config: gateways.config })
    const application = newApplication(leaving)
    let isDeaf = true
    await using wire = wireTo(to.adminUrl, (step) => (step === 'activate' && isDeaf ? 'is lost' : 'passes'))
    const moved = moveBetween(cli, application, leaving, to, { adminUrl: wire.adminUrl })
    await until(() => wire.steps.includes('activate'))
    for (const service of [leaving, to]) {
      expect(await service.get('/pushes', { application })).toMatchObject({
        status: 503,
        body: { message: 'The application is being moved to another server: repeat the call.' },
      })
    }
    isDeaf = false
    expect(await passing(leaving, clock, moved)).toMatchObject({ exitCode: 0 })
    expect((await leaving.get('/pushes', { application })).status).toBe(200)
  })
})
