import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPost } from '../../src/webhook/post.ts'
import type { Post, PostOutcome } from '../../src/webhook/post.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { silence, startReceiver, status } from '../support/receiver.ts'
import type { WebhookReceiver } from '../support/receiver.ts'

const HEADERS = { 'content-type': 'application/json', 'webhook-id': 'evt_1' }

let receiver: WebhookReceiver
const clock = createFakeClock()
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver[Symbol.asyncDispose]())

interface Try {
  readonly host?: string
  readonly addresses?: readonly string[]
  readonly allowPrivate?: boolean
  readonly signal?: AbortSignal
  readonly scheme?: string
}

function poster(addresses: readonly string[] = ['127.0.0.1'], allowPrivate = true): Post {
  return createPost({
    clock,
    ca: receiver.certificate,
    allowPrivate,
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  })
}

async function post(options: Try = {}): Promise<PostOutcome> {
  const { host = 'hooks.test', addresses = ['127.0.0.1'], allowPrivate = true, scheme = 'https' } = options
  const send = poster(addresses, allowPrivate)
  const { signal = new AbortController().signal } = options
  return send(`${scheme}://${host}:${receiver.port}/hooks?a=b`, HEADERS, '{"ü":1}', signal)
}

describe('a try', () => {
  test('brings body and headers to the name, with the address that was looked at', async () => {
    expect(await post()).toEqual({ kind: 'answered', status: 204, retryAfter: null })
    const [one] = receiver.received
    expect(one).toMatchObject({ url: '/hooks?a=b', body: '{"ü":1}' })
    expect(one?.headers).toMatchObject({ ...HEADERS, host: `hooks.test:${receiver.port}`, 'content-length': '8' })
  })

  test('goes to another address when the first is not there', async () => {
    expect(await post({ addresses: ['127.0.0.9', '127.0.0.1'] })).toMatchObject({ status: 204 })
  })

  test('without TLS goes to a private address', async () => {
    await using plain = await startReceiver({ plain: true })
    const send = createPost({ clock, ca: undefined, allowPrivate: true })
    const to = `http://127.0.0.1:${plain.port}/`
    expect(await send(to, HEADERS, '{}', new AbortController().signal)).toMatchObject({ status: 204 })
    expect(plain.received).toHaveLength(1)
  })

  test('says when to come again, as the receiver does', async () => {
    receiver.answer = status(503, { 'retry-after': '120' })
    expect(await post()).toEqual({ kind: 'answered', status: 503, retryAfter: '120' })
  })

  test('follows no redirect', async () => {
    receiver.answer = status(307, { location: `https://127.0.0.1:${receiver.port}/elsewhere` })
    expect(await post()).toMatchObject({ kind: 'answered', status: 307 })
    expect(receiver.received.map(({ url }) => url)).toEqual(['/hooks?a=b'])
  })

  test('reads little of an endless answer', async () => {
    receiver.answer = (response) => {
      response.writeHead(200)
      const more = () => {
        if (!response.destroyed) response.write(new Uint8Array(16_384), () => setImmediate(more))
      }
      more()
    }
    expect(await post()).toMatchObject({ kind: 'answered', status: 200 })
    await receiver.left
  })

  test('ends when there is no answer in time, and closes the connection', async () => {
    receiver.answer = silence
    const outcome = post()
    await receiver.arrived(1)
    clock.advance(15_000)
    expect(await outcome).toEqual({ kind: 'failed', reason: 'no answer in time' })
    await receiver.left
  })

  test('ends when the head has come and the rest does not', async () => {
    receiver.answer = (response) => void response.writeHead(200).write('a')
    const outcome = post()
    await receiver.arrived(1)
    clock.advance(15_000)
    expect(await outcome).toMatchObject({ kind: 'failed', reason: 'no answer in time' })
  })

  test('ends when a name takes too long to resolve', async () => {
    const never = new Promise<never>(() => {})
    const send = createPost({ clock, ca: undefined, allowPrivate: true, resolve: () => never })
    const outcome = send('https://hooks.test/', HEADERS, '{}', new AbortController().signal)
    clock.advance(15_000)
    expect(await outcome).toEqual({ kind: 'failed', reason: 'no answer in time' })
  })

  test('ends when it is told to', async () => {
    receiver.answer = silence
    const stop = new AbortController()
    const outcome = post({ signal: stop.signal })
    await receiver.arrived(1)
    stop.abort()
    expect(await outcome).toMatchObject({ kind: 'failed' })
    await receiver.left
  })
})

describe('tries that follow each other', () => {
  let send: Post
  const one = () => send(`https://hooks.test:${receiver.port}/`, HEADERS, '{}', new AbortController().signal)
  beforeEach(() => {
    send = poster()
  })

  test('share a connection', async () => {
    for (let n = 0; n < 5; n++) expect(await one()).toMatchObject({ status: 204 })
    expect(receiver.connections()).toBe(1)
  })

  test('are none the worse for one that the receiver has closed meanwhile', async () => {
    expect(await one()).toMatchObject({ status: 204 })
    receiver.hangUp()
    expect(await one()).toMatchObject({ status: 204 })
    expect(receiver.received).toHaveLength(2)
    expect(receiver.connections()).toBe(2)
  })

  test('come once where the receiver hangs up after the head of its answer', async () => {
    expect(await one()).toMatchObject({ status: 204 })
    receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': '10' }).write('a', () => response.destroy())
    }
    expect(await one()).toMatchObject({ status: 200 })
    expect(receiver.connections()).toBe(1)
    expect(receiver.received).toHaveLength(2)
  })

  test('fail where the receiver hangs up on each, after one more over a connection of its own', async () => {
    expect(await one()).toMatchObject({ status: 204 })
    receiver.answer = (response) => void response.destroy()
    expect(await one()).toEqual({ kind: 'failed', reason: 'ECONNRESET' })
    expect(receiver.received).toHaveLength(3)
  })
})

describe('a try reaches nobody', () => {
  const refused = (reason: string): PostOutcome => ({ kind: 'failed', reason })
  afterEach(() => expect(receiver.received).toEqual([]))

  test('at a private address', async () => {
    expect(await post({ allowPrivate: false })).toEqual(refused('private address'))
    expect(await post({ allowPrivate: false, host: '127.0.0.1' })).toEqual(refused('private address'))
    expect(await post({ allowPrivate: false, host: '0x7f.1' })).toEqual(refused('private address'))
    expect(await post({ allowPrivate: false, host: '[::ffff:127.0.0.1]' })).toEqual(refused('private address'))
  })

  test('when one address of several is private', async () => {
    expect(await post({ allowPrivate: false, addresses: ['8.8.8.8', '127.0.0.1'] })).toEqual(refused('private address'))
  })

  test('without TLS when an address is public', async () => {
    expect(await post({ scheme: 'http', addresses: ['8.8.8.8'] })).toEqual(refused('http to a public address'))
  })

  test('who is not the one that was meant', async () => {
    expect(await post({ host: 'other.test' })).toEqual(refused('ERR_TLS_CERT_ALTNAME_INVALID'))
  })

  test('whose certificate nobody vouches for', async () => {
    const send = createPost({ clock, ca: undefined, allowPrivate: true })
    const to = `https://127.0.0.1:${receiver.port}/`
    const outcome = await send(to, HEADERS, '{}', new AbortController().signal)
    expect(outcome).toEqual(refused('DEPTH_ZERO_SELF_SIGNED_CERT'))
  })

  test('where nobody listens', async () => {
    expect(await post({ addresses: ['127.0.0.9'] })).toEqual(refused('ECONNREFUSED'))
  })

  test('whose name does not resolve', async () => {
    const error = Object.assign(new Error('hooks.test'), { code: 'ENOTFOUND' })
    const send = createPost({ clock, ca: undefined, allowPrivate: true, resolve: () => Promise.reject(error) })
    const outcome = await send('https://hooks.test/', HEADERS, '{}', new AbortController().signal)
    expect(outcome).toEqual(refused('ENOTFOUND'))
  })

  test('through a proxy of the environment', async () => {
    const before = process.env['HTTPS_PROXY']
    process.env['HTTPS_PROXY'] = `http://127.0.0.1:${receiver.port}`
    try {
      expect(await post({ addresses: ['127.0.0.9'] })).toEqual(refused('ECONNREFUSED'))
    } finally {
      if (before === undefined) delete process.env['HTTPS_PROXY']
      else process.env['HTTPS_PROXY'] = before
    }
  })
})
