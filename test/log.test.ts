import { describe, expect, test } from 'bun:test'
import { createLog, logText } from '../src/log.ts'
import { withoutRepeats } from '../src/server/log/service-log.ts'
import { newCaller } from './support/caller.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { startService } from './support/service.ts'
import type { Answer } from './support/service.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

describe('the log', () => {
  test('is one JSON object a line', () => {
    const lines: string[] = []
    const log = createLog(
      'info',
      () => NOW,
      (line) => lines.push(line),
    )
    log.info('serving', { url: 'http://127.0.0.1:8790', more: undefined })
    expect(lines).toEqual([
      '{"time":"2026-11-20T12:00:00.000Z","level":"info","event":"serving","url":"http://127.0.0.1:8790"}\n',
    ])
  })

  test('has nothing below its level', () => {
    const lines: string[] = []
    const log = createLog(
      'warn',
      () => NOW,
      (line) => lines.push(line),
    )
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['c', 'd'])
    expect(log.writes('info')).toBe(false)
    expect(log.writes('error')).toBe(true)
  })

  test('spells out what could move a terminal', () => {
    for (const render of [undefined, logText(false)]) {
      let written = ''
      const log = createLog(
        'info',
        () => NOW,
        (line) => void (written += line),
        render,
      )
      log.warn('sending paused', { application: 'app_x', name: 'a\u001B]0;x\u0007\u009B2J\u202Eb', reason: '\u009B1A' })
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      expect(written.trimEnd()).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/)
      expect(written).toContain('9b2J')
    }
  })

  test('as text is a line to be read, with a stack below it, and coloured by how serious it is', () => {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const plain = createLog('debug', () => NOW, write, logText(false))
    plain.info('serving', { url: 'http://127.0.0.1:8790', data: './my data', none: null, empty: '' })
    plain.warn('sending paused', { application: 'app_x', name: 'Corner Shop', platform: 0, reason: 'a="b"' })
    plain.error('internal error', { requestId: '019a', error: 'Error: x\n    at y' })
    createLog('debug', () => NOW, write, logText(true)).error('it failed')
    const time = Temporal.Instant.fromEpochMilliseconds(NOW)
      .toZonedDateTimeISO(Temporal.Now.timeZoneId())
      .toPlainTime()
      .toString({ smallestUnit: 'second' })
    expect(lines).toEqual([
      `${time}  info   serving  url=http://127.0.0.1:8790 data="./my data" empty=""\n`,
      `${time}  warn   sending paused  Corner Shop  platform=ios reason="a=\\"b\\""\n`,
      `${time}  error  internal error  requestId=019a\n    Error: x\n        at y\n`,
      `\u001B[31m${time}  error  it failed\u001B[0m\n`,
    ])
  })

  test('names each call with the request id that its answer carries', async () => {
    await using service = await startService()
    const { headers } = await service.get('/analytics?x=1')
    const line = await service.logged(({ event, route }) => event === 'call' && route === '/analytics')
    expect(line).toMatchObject({ requestId: headers.get('x-request-id') ?? '', method: 'GET', status: 200 })
  })

  test('never holds a device token, a secret, an alias or the text of a message', async () => {
    await using service = await startService()
    const { secret } = service.application
    const token = 'bad4290'.padEnd(64, '7')
    await service.put('/deviceToken', { token, platform: 0, alias: 'the-alias', tag: ['the-tag'] })
    await service.get('/deviceToken/one?secret=the-query', { headers: { token } })
    await service.post('/push/all', { platform: 0, msg: 'the-message', sound: '', badge: '' })
    await service.put('/deviceToken', { token, platform: 9 })
    await service.put('/deviceToken', '{"token": the-garbage')
    await service.get('/analytics', { headers: { 'x-service-secret': 'the-wrong-secret' } })
    for (const path of [`/deviceToken/${token}`, `/push/the-id`, `/the-path`]) await service.get(path)
    await service.logged(({ event }) => event === 'to be sent again')
    const all = JSON.stringify(service.log)
    for (const kept of [token, secret, 'the-']) expect(all).not.toContain(kept)
  })
})

describe('lines about an application', () => {
  test('have its id and its name, whoever says them', async () => {
    await using service = await startService()
    const application = service.addApplication('Corner Shop')
    await service.put('/deviceToken', { token: 'ab'.repeat(32), platform: 0 }, { application })
    await service.post('/push/all', { platform: 0, msg: 'Hi', sound: '', badge: '' }, { application })
    // A number in one place, an id in the other.
    await service.logged(({ event }) => event === 'push sent')
    await service.put('/deviceToken', {}, { application })
    await service.logged(({ event }) => event === 'call refused')
    for (const line of service.log.filter((one) => 'application' in one)) {
      expect(line).toMatchObject({ application: application.id, name: 'Corner Shop' })
    }
  })
})

describe('a refused call', () => {
  test('is said with code and message, and which application it was for', async () => {
    await using service = await startService()
    const { id } = service.application
    const { headers } = await service.put('/deviceToken', { token: 'abc def', platform: 0 })
    expect(await service.logged(({ event }) => event === 'call refused')).toEqual({
      time: expect.any(String),
      level: 'info',
      event: 'call refused',
      requestId: headers.get('x-request-id'),
      application: id,
      name: 'test',
      method: 'PUT',
      path: '/deviceToken',
      status: 400,
      code: 'InvalidArgument',
      message: 'token must not contain white space or control characters.',
    })
    await service.get('/analytics', { as: 'nobody' })
    expect(await service.logged(({ code }) => code === 'InvalidHeader')).not.toHaveProperty('application')
    await service.get('/nope/the-token')
    expect(await service.logged(({ event, status }) => event === 'call refused' && status === 404)).toMatchObject({
      code: 'ResourceNotFound',
      message: 'There is no such path.',
      application: id,
    })
    await service.put('/deviceToken', { token: 'ab'.repeat(32), platform: 0 })
    expect(service.log.filter(({ event }) => event === 'call refused')).toHaveLength(3)
  })

  test('is left out where there are too many, and how many is said within a minute', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock })
    for (let n = 0; n < 50; n += 1) await service.put('/deviceToken', {})
    const said = () => service.log.filter(({ event }) => event === 'call refused').length
    expect(said()).toBe(20)
    clock.advance(60_000)
    const rest = await service.logged(({ event }) => event === 'more calls were refused than are logged')
    expect(rest).toMatchObject({ level: 'info', leftOut: 30 })
    await service.put('/deviceToken', {})
    expect(said()).toBe(21)
    clock.advance(60_000)
    expect(service.log.filter(({ leftOut }) => leftOut !== undefined)).toHaveLength(1)
  })

  test('tells nothing of what was sent, whichever field of whichever call it was sent in', async () => {
    const clock = createFakeClock()
    await using service = await startService({ clock })
    const caller = newCaller(service)
    const { application } = caller
    await caller.register({ token: 'ab'.repeat(32), platform: '0', alias: 'kept-alias' })
    const { paths } = (await service.get('/openapi.json')).body
    // A word, one with a name in front of it, a number, and each of them further inside.
    const kept = ['kept-1', 'kept 2', '\u001Bkept', 77.1234567, { kept4: 1 }, ['kept-5']]
    const calls: (() => Promise<Answer>)[] = []
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const content = operation.requestBody?.content['application/json']
        const example = content?.example ?? {}
        const names = Object.keys(content?.schema.properties ?? {})
        const at = path.replaceAll(/\{\w+\}/g, 'kept-path')
        const bodies =
          method === 'get'
            ? [undefined]
            : [
                '{"kept": kept}',
                '"kept"',
                '{"kept',
                ...[...names, 'kept_field'].flatMap((name) =>
                  kept.flatMap((value) => [
                    { ...example, [name]: value },
                    { ...example, [name]: { aps: { kept: value, badge: value, sound: { kept: value } }, kept: value } },
                    {
                      ...example,
                      [name]: { all: [{ kept: value }, { tag: value }], notification: { kept: value }, token: value },
                    },
                  ]),
                ),
              ]
        for (const body of bodies) {
          const headers = { 'idempotency-key': 'kept key \u00E9', token: 'kept-token', platform: 'kept' }
          const sent = { application, ...(body !== undefined && { body }) }
          for (const more of typeof body === 'object' ? [{}] : [{}, { headers }]) {
            calls.push(() =>
              service.call(method.toUpperCase(), `${at}?since=kept&limit=kept&after=kept`, { ...sent, ...more }),
            )
          }
        }
      }
    }
    let refused = 0
    while (calls.length > 0) {
      const answers = await Promise.all(calls.splice(0, 20).map((call) => call()))
      refused += answers.filter(({ status }) => status >= 400).length
      // Twenty lines at once, and then one each 3 s.
      clock.set(clock.now() + 60_000)
    }
    const odd = [
      { 'accept-version': 'kept' },
      { 'x-service-appid': 'kept' },
      { 'x-service-secret': 'kept' },
      { 'content-type': 'kept' },
      { 'content-md5': 'kept' },
      { 'content-digest': 'sha-256=:kept:' },
    ]
    for (const headers of odd) {
      expect((await service.put('/deviceToken', { token: 'kept' }, { headers })).status).toBeGreaterThanOrEqual(400)
      clock.advance(3000)
    }
    const post = (msg: string) =>
      service.post(
        '/push/all',
        { platform: '0', msg, sound: '', badge: '' },
        { application, headers: { 'idempotency-key': 'kept' } },
      )
    expect([(await post('a')).status, (await post('b')).status]).toEqual([200, 409])
    const lines = service.log.filter(({ event }) => event === 'call refused')
    expect(refused).toBeGreaterThan(1000)
    expect(lines.length).toBeGreaterThan(refused * 0.9)
    const told = lines
      .map((line) => JSON.stringify({ ...line, requestId: null }))
      .filter((line) => /kept|77\.12/.test(line))
    expect([...new Set(told.map((line) => line.replace(/"time":"[^"]*",/, '')))]).toEqual([])
  })
})

interface Operation {
  readonly requestBody?: {
    readonly content: Record<
      'application/json',
      { readonly schema: { readonly properties: object }; readonly example?: object }
    >
  }
}

describe('the same error', () => {
  test('is said once a minute, with how often it came', () => {
    const clock = createFakeClock()
    const lines: Record<string, unknown>[] = []
    const base = createLog('info', clock.now, (line) => lines.push(JSON.parse(line)))
    const { log, look } = withoutRepeats(base, clock.now)
    const fail = (fields: object) =>
      log.error('a delivery cannot be read; trying again', { application: 1, platform: 0, ...fields })
    for (let second = 0; second < 60; second += 1) {
      fail({ error: 'SQLiteError: malformed\n    at read', tries: second })
      clock.advance(1000)
    }
    fail({ error: 'SQLiteError: malformed\n    at read', tries: 60 })
    expect(lines.map(({ tries, repeated }) => [tries, repeated])).toEqual([
      [0, undefined],
      [60, 59],
    ])
    // Of another platform, and another error, it is another one.
    fail({ platform: 1, error: 'x' })
    fail({ error: 'SQLiteError: disk I/O error' })
    expect(lines).toHaveLength(4)
    log.warn('sending paused')
    log.warn('sending paused')
    expect(lines).toHaveLength(6)
    // What comes no more is still counted.
    fail({ error: 'x', platform: 1 })
    look()
    expect(lines.at(-1)).toMatchObject({ error: 'x', platform: 1, repeated: 1 })
    expect(lines).toHaveLength(7)
    look()
    expect(lines).toHaveLength(7)
  })

  test('is said for each call that its caller may name, without the stack from the second on', () => {
    const lines: Record<string, unknown>[] = []
    const base = createLog(
      'info',
      () => NOW,
      (line) => lines.push(JSON.parse(line)),
    )
    const { log } = withoutRepeats(base, () => NOW)
    for (const requestId of ['a', 'b']) log.error('internal error', { requestId, error: 'Error: x\n    at y' })
    expect(lines.map(({ requestId, error }) => [requestId, error])).toEqual([
      ['a', 'Error: x\n    at y'],
      ['b', 'Error: x'],
    ])
  })
})
