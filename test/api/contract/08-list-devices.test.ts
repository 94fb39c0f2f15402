import { beforeAll, describe, expect, test } from 'bun:test'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { depart, TOKEN_OF } from '../../support/departure.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { connectTo, headOf } from '../../support/raw-connection.ts'
import { expectFailure } from '../../support/refusals.ts'
import { fileService } from '../../support/file-service.ts'

const PATH = '/deviceToken/all'

const clock = createFakeClock()
const service = await fileService({ clock })

/** Registers a device for each token, one after the other. */
async function registerAll(caller: Caller, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) await caller.register({ token, platform: '0' })
}

/** The body of an answer in chunks (RFC 9112, 7.1). */
function unchunked(answer: Buffer): string {
  const chunks: Buffer[] = []
  for (let at = answer.indexOf('\r\n\r\n') + 4, size = -1; size !== 0; at += size + 2) {
    const end = answer.indexOf('\r\n', at)
    size = Number.parseInt(answer.subarray(at, end).toString(), 16)
    at = end + 2
    chunks.push(answer.subarray(at, at + size))
  }
  return Buffer.concat(chunks).toString()
}

function tokensOf(body: readonly { readonly token: string }[]): string[] {
  return body.map(({ token }) => token)
}

describe('GET /deviceToken/all', () => {
  test('is a bare JSON array of device records', async () => {
    const caller = newCaller(service)
    const place = { lat: '52.52', lng: '13.405' }
    const full = { token: 'AB+/=', platform: '1', ...place, active: ['news'], tag: ['a', 'ü😀'], alias: 'user-17' }
    const records = [await caller.register(full), await caller.register({ token: '00ff'.repeat(16), platform: '0' })]
    await caller.put('/badge', { token: 'AB+/=', platform: '1', setbadgecount: 3 })
    const at = new Date(clock.now()).toISOString()
    const bare = { lat: null, lng: null, active: [], tag: [], alias: null, badge: 0 }
    const answer = await caller.get(PATH)
    expect([answer.status, answer.body]).toEqual([
      200,
      [
        { ...full, badge: 3, created_at: at, updated_at: at },
        { token: '00ff'.repeat(16), platform: '0', ...bare, created_at: at, updated_at: at },
      ],
    ])
    expect(Object.keys(answer.body[0])).toEqual(Object.keys(records[0] ?? {}))
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.has('link')).toBe(false)
  })

  test('is empty when nothing is registered', async () => {
    const answer = await newCaller(service).get(PATH)
    expect([answer.status, answer.body]).toEqual([200, []])
  })

  test('is in the order of registration, over both platforms, and an update does not change it', async () => {
    const caller = newCaller(service)
    const devices = ['c', 'a', 'b', 'd'].map((token, index) => ({ token, platform: String(index % 2) }))
    for (const device of devices) await caller.register(device)
    for (const device of devices.toReversed()) await caller.register({ ...device, tag: ['later'] })
    expect(tokensOf(await caller.devices())).toEqual(['c', 'a', 'b', 'd'])
    await caller.put('/deviceToken/del', devices[0])
    await caller.register(devices[0] ?? {})
    expect(tokensOf(await caller.devices())).toEqual(['a', 'b', 'd', 'c'])
  })

  test('has the devices of its own application', async () => {
    const [caller, other] = [newCaller(service), newCaller(service)]
    await registerAll(caller, ['a'])
    await registerAll(other, ['b'])
    expect(tokensOf(await caller.devices())).toEqual(['a'])
    expect(tokensOf(await other.devices())).toEqual(['b'])
  })

  test('has neither those that were unregistered nor those a gateway declared gone or unknown', async () => {
    for (const state of ['gone', 'quarantined'] as const) {
      const caller = newCaller(service)
      const [stays, leaves] = ['5a'.repeat(32), '1e'.repeat(32)]
      await registerAll(caller, [stays, TOKEN_OF[state], leaves])
      await depart(caller, state)
      await caller.put('/deviceToken/del', { token: leaves, platform: '0' })
      expect(tokensOf(await caller.devices())).toEqual([stays])
    }
  })

  test('needs the secret, and ignores a body and unknown parameters', async () => {
    const caller = newCaller(service)
    await registerAll(caller, ['a'])
    const answer = await service.get(PATH, { application: caller.application, as: 'device' })
    expectFailure(answer, 400, 'InvalidHeader', 'Authentication headers not found.')
    expect(tokensOf((await caller.get(`${PATH}?LIMIT=0&__proto__=1&page=2`)).body)).toEqual(['a'])

    using connection = await connectTo(service.url)
    await connection.write(`${headOf(`GET ${PATH}?limit=5`, caller.application, 'Content-Length: 4')}{"a"`)
    const { status, body } = await connection.answer()
    expect([status, tokensOf(JSON.parse(body))]).toEqual([200, ['a']])
  })
})

test('what cannot be read is 500 with a support ID, not an empty or broken list', async () => {
  const run = (sql: string) => service.database.statement<never, []>(sql).run()
  run('ALTER TABLE device RENAME TO elsewhere')
  const answers = [await service.get(PATH), await service.get(`${PATH}?limit=5`)]
  run('ALTER TABLE elsewhere RENAME TO device')
  for (const answer of answers) {
    const id = answer.headers.get('x-request-id')
    expectFailure(answer, 500, 'InternalError', `Internal error. Support ID ${id}`)
    expect(service.log).toContainEqual(expect.objectContaining({ level: 'error', requestId: id }))
  }
  expect((await service.get(PATH)).status).toBe(200)
})

describe('a page of the list', () => {
  const LETTERS = ['a', 'b', 'c', 'd', 'e']

  test('has at most limit devices, and its Link header leads to the next, until there is none', async () => {
    const caller = newCaller(service)
    await registerAll(caller, LETTERS)
    const cases: readonly [limit: number, pages: string[][]][] = [
      [2, [['a', 'b'], ['c', 'd'], ['e']]],
      [5, [LETTERS]],
      [10_000, [LETTERS]],
    ]
    for (const [limit, expected] of cases) {
      const pages: string[][] = []
      for (let next: string | undefined = `${PATH}?limit=${limit}`; next !== undefined;) {
        const url: URL = new URL(next, service.url + PATH)
        const answer = await caller.get(url.pathname + url.search)
        expect(answer.status).toBe(200)
        pages.push(tokensOf(answer.body))
        const link = answer.headers.get('link')
        if (link !== null) expect(link).toMatch(/^<[^>]+>; rel="next"$/)
        next = link?.slice(1, link.indexOf('>'))
      }
      expect(pages).toEqual(expected)
    }
  })

  test('neither repeats nor misses a device while others come and go', async () => {
    const caller = newCaller(service)
    await registerAll(caller, LETTERS)
    const first = await caller.get(`${PATH}?limit=3`)
    await caller.put('/deviceToken/del', { token: 'a', platform: '0' })
    await caller.put('/deviceToken/del', { token: 'c', platform: '0' })
    await registerAll(caller, ['f'])
    const link = first.headers.get('link') ?? ''
    const second = await caller.get(PATH + link.slice(1, link.indexOf('>')))
    expect([tokensOf(first.body), tokensOf(second.body)]).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ])
    // Without a limit the cursor begins the stream.
    const after = new URLSearchParams(link.slice(2, link.indexOf('>'))).get('after')
    expect(tokensOf((await caller.get(`${PATH}?after=${after}`)).body)).toEqual(['d', 'e', 'f'])
    expect((await caller.get(`${PATH}?after=99999999999`)).body).toEqual([])
  })

  test.each([
    ['limit', 'a whole number from 1 to 10000', ['0', '-1', '10001', '1.5', '1e2', '0x10', 'ten', '1%00', '%20']],
    ['after', 'a whole number from 0 to 9007199254740991', ['-1', 'a', '1.5', '9'.repeat(20)]],
  ] as const)('400: %s that is not what it should be', async (name, allowed, values) => {
    const caller = newCaller(service)
    for (const value of values) {
      const answer = await caller.get(`${PATH}?${name}=${value}`)
      const shown = JSON.stringify(new URLSearchParams(`v=${value}`).get('v'))
      expectFailure(answer, 400, 'InvalidArgument', `${name} must be ${allowed}, not ${shown}.`)
    }
  })
})

describe('a long list is streamed', () => {
  const COUNT = 20_000
  /** Together more than what sockets buffer: about 24 MB. */
  const TAGS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(250))
  let caller: Caller
  let head: string

  beforeAll(() => {
    caller = newCaller(service)
    head = headOf(`GET ${PATH}`, caller.application)
    const { database } = service
    const devices = createDeviceStore({ database, clock })
    const sql = 'SELECT number FROM application WHERE id = ?'
    const number = database.statement<{ number: number }, [string]>(sql).get(caller.application.id)?.number ?? 0
    database.transact(() => {
      for (let index = 0; index < COUNT; index++) {
        devices.register(number, { token: `device ${index}`, platform: index % 2 === 0 ? 0 : 1, tag: TAGS })
      }
    })
  })

  /** Calls for the list and reads the first of it, and no more until `rest`. */
  async function readFirst() {
    const { id, secret } = caller.application
    const response = await fetch(service.url + PATH, {
      headers: { 'accept-version': '1', 'x-service-appid': id, 'x-service-secret': secret },
    })
    const reader = response.body?.getReader()
    if (reader === undefined) throw new Error('no body')
    const first = await reader.read()
    return { response, reader, first: first.value ?? new Uint8Array() }
  }

  /** The same, by a socket that takes nothing in until `rest`: a client of HTTP would read ahead. */
  async function readHead() {
    const { hostname, port } = new URL(service.url)
    const received: Buffer[] = []
    const first = Promise.withResolvers<void>()
    const last = Promise.withResolvers<void>()
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data(connection, data) {
          // At first it takes in what there is, and no more.
          if (received.push(Buffer.from(data)) === 1) connection.pause()
          first.resolve()
          if (data.subarray(-5).toString() === '0\r\n\r\n') last.resolve()
        },
      },
    })
    socket.write(head)
    await first.promise
    return {
      first: Buffer.concat(received).toString(),
      async rest() {
        socket.resume()
        await last.promise
        socket.end()
        return JSON.parse(unchunked(Buffer.concat(received)))
      },
    }
  }

  test('its first devices arrive before the last are read, and a reader that stops stops the reading', async () => {
    const answer = await readHead()
    expect(answer.first).toStartWith('HTTP/1.1 200 ')
    expect(answer.first).not.toContain(`"device ${COUNT - 1}"`)
    // Far more turns than there are chunks: what is not read now, waits for the reader.
    for (let turn = 0; turn < 500; turn++) expect((await service.get('/healthz')).status).toBe(200)
    await caller.register({ token: 'registered-meanwhile', platform: '0' })

    const tokens = tokensOf(await answer.rest())
    expect(tokens).toHaveLength(COUNT + 1)
    expect(new Set(tokens).size).toBe(COUNT + 1)
    expect([tokens[0], tokens.at(-1)]).toEqual(['device 0', 'registered-meanwhile'])
    await caller.put('/deviceToken/del', { token: 'registered-meanwhile', platform: '0' })
  })

  test('a reader that leaves harms nobody', async () => {
    const errors = () => service.log.filter(({ level }) => level === 'error').length
    const before = errors()
    for (let times = 0; times < 3; times++) {
      const { reader } = await readFirst()
      await reader.cancel()
      const connection = await connectTo(service.url)
      await connection.write(head)
      await connection.answer()
      connection[Symbol.dispose]()
    }
    expect(await caller.devices()).toHaveLength(COUNT)
    expect(errors()).toBe(before)
  })
})
