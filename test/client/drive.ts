import { expect } from 'bun:test'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
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
 * Drives a client library in a process of its own against a real server. `command`: runs it, with the server's address and
 * the application ID behind; it takes an event a line and answers with its state. `tokens`: two of its platform.
 */
export async function drive(
  service: Service,
  command: readonly string[],
  platform: string,
  tokens: readonly [string, string],
) {
  const { id: app } = service.application
  const [token, moved] = tokens
  const devices = async () => (await service.get('/deviceToken/all')).body
  await using client = start(command, service.url, app)

  // Before there is a token nothing is sent, and nothing is lost.
  expect((await client.take({ kind: 'set', device: { tag: ['beta'], locale: 'de' } })).state.known).toBeNull()
  const { state } = await client.take({ kind: 'token', token })
  expect(state.known).toMatchObject({ token, body: { tag: ['beta'], locale: 'de', token, platform } })
  const says = expect.stringMatching(/^[a-z]+\/0\.0\.0$/)
  expect(await devices()).toMatchObject([{ token, platform, tag: ['beta'], locale: 'de', client: says }])

  // What arrives and is opened counts, once.
  const { body: push } = await service.post('/push/one', { platform, token, msg: 'Cake', sound: '', badge: '' })
  for (const event of ['received', 'opened', 'opened']) await client.take({ kind: 'report', id: push.id, event })
  await client.take({ kind: 'report', id: push.id, event: 'action', action: 'buy' })
  expect((await service.get(`/push/${push.id}`)).body).toMatchObject({ o: 1, received: 1, actions: { buy: 1 } })

  // Another token takes the place of the one before, and keeps what is known of the device.
  await client.take({ kind: 'token', token: moved })
  expect(await devices()).toMatchObject([{ token: moved, tag: ['beta'] }])

  await client.take({ kind: 'login', user: 'ann' })
  expect(await devices()).toMatchObject([{ token: moved, user: 'ann' }])
  await client.take({ kind: 'login', user: 'bob' })
  expect(await devices()).toMatchObject([{ token: moved, user: 'bob' }])
  await client.take({ kind: 'logout' })
  expect(JSON.stringify(await devices())).not.toContain('bob')

  // What the server refuses is told and not repeated.
  const refused = await client.take({ kind: 'set', device: { tag: 7 } })
  expect(refused.told).toEqual([{ kind: 'register', status: 400 }])
  expect((await client.take(null)).told).toEqual([])
  await client.take({ kind: 'set', device: { tag: [] } })
  expect(await devices()).toMatchObject([{ token: moved, tag: [] }])

  await client.take({ kind: 'leave' })
  expect(await devices()).toEqual([])

  // Where nobody answers everything is kept.
  await using offline = start(command, 'http://127.0.0.1:1', app)
  await offline.take({ kind: 'token', token })
  const kept = await offline.take({ kind: 'report', id: push.id, event: 'opened' })
  expect(kept.state).toMatchObject({ known: null, reports: [{ id: push.id, event: 'opened' }] })
  expect(kept.state.wait?.attempt).toBeGreaterThan(0)
}

function start(command: readonly string[], server: string, app: string) {
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
