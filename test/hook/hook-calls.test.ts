import { afterAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { systemClock } from '../../src/clock.ts'
import { createHookStore } from '../../src/hook/hook-store.ts'
import { commandLine } from '../cli/command-line.ts'
import { arrivalsOf } from '../support/arrivals.ts'
import { fileService } from '../support/file-service.ts'
import { startService } from '../support/service.ts'

const PAID = {
  where: { type: 'order.paid' },
  event: '{{ id }}',
  push: { users: ['{{ data.user }}'], msg: 'Order {{ data.number }}', sound: 'default' },
}

const line = commandLine()
afterAll(() => line[Symbol.dispose]())
const service = await fileService()
for (const user of ['ann', 'bob']) {
  await service.put('/deviceToken', { platform: '1', token: `android-${user}`, user })
}

async function make(name: string, template: object, ...flags: readonly string[]) {
  const file = line.file(`${name}.json`, JSON.stringify(template))
  const argv = ['hook', 'create', service.application.id, name, '--template', file, '--json', ...flags]
  const { exitCode, stdout, stderr } = await line.run(argv, { BELLHOP_DATA: service.data })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout) as { readonly path: string }
}

async function call(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(new URL(path, service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as any, headers: answer.headers }
}

const order = (id: string, user = 'ann') => ({ id, type: 'order.paid', data: { user, number: 17, card: '4242' } })

async function shown(name: string) {
  const { stdout } = await line.run(['hook', 'show', name, '--json'], { BELLHOP_DATA: service.data })
  return JSON.parse(stdout) as { readonly calls: readonly Record<string, unknown>[] }
}

describe('a call of a hook', () => {
  test('becomes a push to those whom the template names, with nothing else of the event', async () => {
    const { path } = await make('orders', PAID)
    expect(path).toMatch(/^\/hook\/orders\/bhh_[\w-]{43}$/)
    const { status, body } = await call(path, order('e1'))
    expect({ status, body }).toEqual({ status: 200, body: { message: 'Queued', id: expect.any(String) } })
    expect((await service.get(`/push/${body.id}`)).body).toMatchObject({ t: 1 })
    const arrived = JSON.stringify(await arrivalsOf(service, body.id))
    expect(arrived).toContain('Order 17')
    expect(arrived).toContain('android-ann')
    expect(arrived).not.toContain('4242')
  })

  test('has its key in the path, or as a bearer token', async () => {
    const { path } = await make('bearer', PAID)
    const key = path.split('/').at(-1)
    expect((await call('/hook/bearer', order('e1'), { authorization: `Bearer ${key}` })).status).toBe(200)
    for (const [wrong, headers] of [
      ['/hook/bearer', {}],
      [`${path}x`, {}],
      ['/hook/bearer', { authorization: `Bearer ${key}x` }],
      ['/hook/bearer', { authorization: String(key) }],
      [path.replace('bearer', 'nobody'), {}],
      ['/hook/nobody', {}],
    ] as const) {
      expect(await call(wrong, order('e2'), headers)).toMatchObject({
        status: 401,
        body: { code: 'InvalidCredentials', message: 'There is no such hook, or its key is wrong.' },
      })
    }
  })

  test('is one push, however often it is repeated', async () => {
    const { path } = await make('repeated', PAID)
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => call(path, order('again'))))
    // The time of a try does not make another event.
    others.push(await call(path, { ...order('again'), sent_at: 17 }))
    for (const { status, body } of others) expect({ status, body }).toEqual({ status: 200, body: first?.body })
    expect((await call(path, order('other'))).body.id).not.toBe(first?.body.id)
    // Hooks' keys differ from callers' idempotency keys.
    const { path: beside } = await make('beside', PAID)
    expect((await call(beside, order('again'))).body.id).not.toBe(first?.body.id)
  })

  test('that the template does not mean is ignored, and not repeated by its sender', async () => {
    const { path } = await make('ignoring', PAID)
    const { status, body } = await call(path, { ...order('e1'), type: 'order.sent' })
    expect({ status, body }).toEqual({ status: 200, body: { message: 'Ignored', why: 'type is not "order.paid"' } })
  })

  test('that does not fit is refused, in words that repeat nothing of it', async () => {
    const { path } = await make('unfit', PAID)
    expect(await call(path, { id: 'e1', type: 'order.paid', data: { user: 'ann', card: '4242' } })).toMatchObject({
      status: 400,
      body: {
        code: 'InvalidArgument',
        message: 'The template of hook unfit does not fit: push.msg asks for data.number, which is missing.',
      },
    })
    const gzipped = await call(path, JSON.stringify(order('e2')), { 'content-encoding': 'gzip' })
    expect(gzipped).toMatchObject({
      status: 400,
      body: {
        code: 'InvalidHeader',
        message: 'Content-Encoding must be identity or absent: compressed bodies are not read.',
      },
    })
    expect(await call(path, '{"id":')).toMatchObject({ status: 400, body: { code: 'InvalidContent' } })
    expect(await call(path, '[]')).toMatchObject({ status: 400, body: { code: 'InvalidContent' } })
    expect(await call(path, '{"a":'.repeat(70) + '1' + '}'.repeat(70))).toMatchObject({
      status: 400,
      body: { code: 'InvalidContent' },
    })
    expect((await shown('unfit')).calls[0]).toMatchObject({
      outcome: 'refused',
      why: expect.stringContaining('nested'),
    })
    expect(await call(path, { id: 'x'.repeat(300_000) })).toMatchObject({
      status: 413,
      body: { code: 'RequestEntityTooLargeError' },
    })
    const got = await fetch(new URL(path, service.url))
    expect({ status: got.status, allow: got.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' })
  })

  test('whose values a push cannot have is refused, with the place of the value', async () => {
    const { path } = await make('tagged', { push: { tags: ['x', '{{ tag }}'], msg: 'Hello' } })
    expect(await call(path, { tag: 'secret-'.repeat(60) })).toMatchObject({ status: 400 })
    const [first] = (await shown('tagged')).calls
    expect(first).toMatchObject({ outcome: 'refused', why: expect.stringMatching(/^tags\[1\] must /) })
    expect(JSON.stringify(first)).not.toContain('secret-')
  })

  test('is signed, where the hook wants that', async () => {
    const secret = 'a secret of ours'
    const file = line.file('github.secret', `${secret}\n`)
    await make('signed', { push: { users: ['ann'], msg: 'Starred' } }, '--signature', 'github', '--secret-file', file)
    const body = JSON.stringify({ action: 'created' })
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': 'd1' }
    const first = await call('/hook/signed', body, headers)
    expect(first).toMatchObject({ status: 200, body: { message: 'Queued' } })
    expect((await call('/hook/signed', body, headers)).body).toEqual(first.body)
    expect(await call('/hook/signed', `${body} `, headers)).toMatchObject({
      status: 401,
      body: { code: 'InvalidCredentials', message: 'The signature does not match.' },
    })
    expect(await call('/hook/signed/bhh_key', body)).toMatchObject({
      status: 401,
      body: { message: 'The call is not signed: X-Hub-Signature-256 must be there.' },
    })
  })

  test('is answered by what became of it in hook show, without anything that came', async () => {
    const { path } = await make('kept', PAID)
    const { body } = await call(path, order('secret-id'))
    for (const _ of [1, 2]) await call(path, { type: 'secret-type' })
    await call(path, { type: 'order.paid', id: 'secret-id', data: { user: 'ann' } })
    const { calls } = await shown('kept')
    expect(calls).toMatchObject([
      {
        outcome: 'refused',
        why: 'The template of hook kept does not fit: push.msg asks for data.number, which is missing.',
        repeats: 1,
      },
      { outcome: 'ignored', why: 'type is not "order.paid"', repeats: 2 },
      { outcome: 'pushed', push: body.id, repeats: 1 },
    ])
    expect(JSON.stringify(calls) + JSON.stringify(service.log)).not.toContain('secret-')
    for (let n = 0; n < 60; n++) await call(path, order(`many-${n}`))
    expect((await shown('kept')).calls).toHaveLength(50)
  })

  test('has the limits of the application: a burst that is too fast is refused', async () => {
    const { path } = await make('limited', PAID)
    service.limit(service.application, { backendRate: 1, backendBurst: 2 })
    const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => call(path, order(`fast-${n}`))))
    service.limit(service.application, { backendRate: 0, backendBurst: 0 })
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('is refused before its body is looked at, where too many come from one address', async () => {
    await using other = await startService({ simulated: false })
    const answers = await Promise.all(
      Array.from({ length: 1100 }, () => fetch(`${other.url}/hook/nobody`, { method: 'POST', body: '{}' })),
    )
    const messages = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { message: string }).message),
    )
    expect(messages).toContain('You have exceeded your request rate of 100 r/s.')
    expect(messages).toContain('Too many calls with wrong credentials from this address.')
  })

  test('is refused once the hook, or its application, is deleted', async () => {
    const { path } = await make('leaving', PAID)
    expect((await call(path, order('e1'))).status).toBe(200)
    const { exitCode } = await line.run(['hook', 'delete', 'leaving', '--yes'], { BELLHOP_DATA: service.data })
    expect(exitCode).toBe(0)
    expect((await call(path, order('e2'))).status).toBe(401)

    const other = service.addApplication('Other', {}, true)
    const file = line.file('other.json', JSON.stringify(PAID))
    const made = await line.run(['hook', 'create', other.id, 'others', '--template', file, '--json'], {
      BELLHOP_DATA: service.data,
    })
    const { path: its } = JSON.parse(made.stdout) as { readonly path: string }
    expect((await call(its, order('e1'))).status).toBe(200)
    service.remove(other)
    expect((await call(its, order('e2'))).status).toBe(401)
  })

  test('is not noted where the hook was deleted while its push was accepted', async () => {
    const { calls } = createHookStore({ ...service, clock: systemClock, key: new Uint8Array(32) })
    expect(() => service.database.transact(() => calls.note(999_999, 'pushed', 'push', 1))).not.toThrow()
    expect(calls.of(999_999)).toEqual([])
  })

  test('keeps its key and its kept calls when the template changes, and has another one when asked', async () => {
    const { path } = await make('changed', PAID)
    await make('changed', { ...PAID, where: { type: 'order.sent' } })
    expect((await call(path, order('e1'))).body).toMatchObject({ message: 'Ignored' })
    const { path: renewed } = await make('changed', PAID, '--new-key')
    expect((await call(path, order('e1'))).status).toBe(401)
    expect((await call(renewed, order('e1'))).status).toBe(200)
    expect((await shown('changed')).calls.map(({ outcome }) => outcome)).toEqual(['pushed', 'ignored'])
  })
})
