import { expect } from 'bun:test'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { DAY_MS } from '../../src/clock.ts'
import type { Service } from '../support/service.ts'

interface Answer {
  readonly state: {
    readonly known: { readonly token: string; readonly body: object } | null
    readonly wait: { readonly attempt: number } | null
    readonly reports: readonly object[]
  }
  readonly told: readonly { readonly kind: string; readonly status: number }[]
}

/**
 * Drives a client library in its own process against a real server. `command` gets the server's address and the
 * application ID as its last words, takes one event per line and answers with its state. `{"kind": "later", "ms": …}`
 * sets the clock and is no event. `tokens`: two of the platform, and one that the simulated gateway calls gone.
 */
export async function drive(
  service: Service,
  command: readonly string[],
  platform: string,
  tokens: readonly [string, string, string],
) {
  const { id: app } = service.application
  const [token, moved, gone] = tokens
  const devices = async () => (await service.get('/deviceToken/all')).body
  await using client = startClient(command, service.url, app)

  // Without a token the client sends nothing and loses nothing.
  expect((await client.take({ kind: 'set', device: { tag: ['beta'], locale: 'de' } })).state.known).toBeNull()
  const { state } = await client.take({ kind: 'token', token })
  expect(state.known).toMatchObject({ token, body: { tag: ['beta'], locale: 'de', token, platform } })
  const says = expect.stringMatching(/^[a-z]+\/\d+\.\d+\.\d+$/)
  expect(await devices()).toMatchObject([{ token, platform, tag: ['beta'], locale: 'de', client: says }])

  // A receipt counts once.
  const { body: push } = await service.post('/push/one', { platform, token, msg: 'Cake', sound: '', badge: '' })
  for (const event of ['received', 'opened', 'opened']) await client.take({ kind: 'report', id: push.id, event })
  await client.take({ kind: 'report', id: push.id, event: 'action', action: 'buy' })
  expect((await service.get(`/push/${push.id}`)).body).toMatchObject({ o: 1, received: 1, actions: { buy: 1 } })

  // A new token replaces the old one and keeps the device's data.
  await client.take({ kind: 'token', token: moved })
  expect(await devices()).toMatchObject([{ token: moved, tag: ['beta'] }])

  await client.take({ kind: 'login', user: 'ann' })
  expect(await devices()).toMatchObject([{ token: moved, user: 'ann' }])
  await client.take({ kind: 'login', user: 'bob' })
  expect(await devices()).toMatchObject([{ token: moved, user: 'bob' }])
  await client.take({ kind: 'logout' })
  expect(JSON.stringify(await devices())).not.toContain('bob')

  // The client reports a refusal and does not repeat the call.
  const refused = await client.take({ kind: 'set', device: { tag: 7 } })
  expect(refused.told).toEqual([{ kind: 'register', status: 400 }])
  expect((await client.take(null)).told).toEqual([])
  await client.take({ kind: 'set', device: { tag: [] } })
  expect(await devices()).toMatchObject([{ token: moved, tag: [] }])

  await client.take({ kind: 'leave' })
  expect(await devices()).toEqual([])

  // A reinstalled app knows nothing. The gateway says that its first token is gone.
  await using first = startClient(command, service.url, app)
  await first.take({ kind: 'token', token: gone })
  await using again = startClient(command, service.url, app)
  await again.take({ kind: 'token', token })
  expect(await devices()).toHaveLength(2)
  const toAll = await service.post('/push/all', { platform, msg: 'Cake', sound: '', badge: '' })
  await finished(service, toAll.body.id)
  expect(await devices()).toMatchObject([{ token }])

  // A proxy's 404 is no refusal. After a day the client drops old reports, and registers at the first answer.
  await using relay = startRelay(service.url)
  await using away = startClient(command, relay.url, app)
  expect(await away.take({ kind: 'token', token: moved })).toMatchObject({ told: [], state: { wait: { attempt: 1 } } })
  await away.take({ kind: 'report', id: push.id, event: 'opened' })
  relay.answers = true
  await away.take({ kind: 'later', ms: DAY_MS })
  const back = await away.take({ kind: 'report', id: push.id, event: 'received' })
  expect(back.state).toMatchObject({ known: { token: moved }, reports: [], wait: null })
  expect((await service.get(`/push/${push.id}`)).body).toMatchObject({ o: 1, received: 2 })

  // Without an answer the client keeps everything.
  await using offline = startClient(command, 'http://127.0.0.1:1', app)
  await offline.take({ kind: 'token', token })
  const kept = await offline.take({ kind: 'report', id: push.id, event: 'opened' })
  expect(kept.state).toMatchObject({ known: null, reports: [{ id: push.id, event: 'opened' }] })
  expect(kept.state.wait?.attempt).toBeGreaterThan(0)
}

/** Stands between a client and the server. Answers 404, as a proxy does, until `answers`. */
function startRelay(to: string) {
  const relay = { answers: false }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (!relay.answers) return new Response('<html>', { status: 404 })
      const answer = await fetch(to + new URL(request.url).pathname, request)
      return new Response(await answer.text(), { status: answer.status })
    },
  })
  return Object.assign(relay, {
    url: server.url.origin,
    [Symbol.asyncDispose]: () => server.stop(true),
  })
}

async function finished(service: Service, id: string): Promise<void> {
  await service.logged((line) => line['event'] === 'push sent' && line['push'] === id)
}

/** In its own process. Takes one event per line. */
export function startClient(command: readonly string[], server: string, app: string) {
  const child = Bun.spawn([...command, server, app], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]()
  return {
    async take(event: object | null): Promise<Answer> {
      void child.stdin.write(`${JSON.stringify(event)}\n`)
      const { value } = await lines.next()
      return JSON.parse(String(value)) as Answer
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
