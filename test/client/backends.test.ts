import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { BACKENDS } from '../../src/client/backends.ts'
import { startReceiver, status } from '../support/receiver.ts'
import type { Received } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { LANGUAGES, missing } from './backends/languages.ts'

/** `bun run backends` sets it. */
const ALL = process.env['BELLHOP_TEST_BACKENDS'] === 'all'
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const PHONE = { token: 'a-phone', platform: '1' }
const ANN = { users: ['ann'] }
const PARCEL = { title: 'Your order', msg: 'It is on its way: schön.' }

/** Valid users that backends have got wrong. */
const USERS = ['Zoe\u0308', '😀'.repeat(128), ' ann ', '"a"\\b\'c', '$e%s%n', '-n', '0', '\u2028', 'x'.repeat(256)]

let service: Service
let shop: Credentials
let userKey: string
/** Sent by a real service. */
let webhook: Received
beforeAll(async () => {
  service = await startService({ config: { webhookPrivate: true } })
  shop = service.application
  userKey = service.makeUserKey(shop)
  service.limit(shop, { verifyUsers: true })
  await service.put('/deviceToken', { ...PHONE, user: 'ann' })
  const receiver = await startReceiver({ plain: true })
  service.hook(shop, { url: `http://127.0.0.1:${receiver.port}/hooks`, events: ['push.finished'], secret: SECRET })
  await service.post('/push/all', { ...ANN, ...PARCEL })
  const [first] = await receiver.arrived(1)
  if (first === undefined) throw new Error('no webhook')
  webhook = first
  await receiver[Symbol.asyncDispose]()
})
afterAll(() => service[Symbol.asyncDispose]())

test('the file for typescript has types, and nothing that Node cannot strip', () => {
  const root = join(import.meta.dir, '../..')
  using folder = temporaryDirectory('bellhop-backend')
  writeFileSync(join(folder.path, 'bellhop.ts'), BACKENDS['typescript'] ?? '')
  const flags =
    '--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --erasableSyntaxOnly --verbatimModuleSyntax --module preserve --target es2023 --types node'
  const { stdout } = Bun.spawnSync(
    [
      join(root, 'node_modules/.bin/tsc'),
      ...flags.split(' '),
      '--typeRoots',
      join(root, 'node_modules/@types'),
      'bellhop.ts',
    ],
    { cwd: folder.path },
  )
  expect(stdout.toString()).toBe('')
})

for (const language of LANGUAGES) {
  const why = language.slow && !ALL ? 'bun run backends has it' : missing(language)
  const inIt = why === '' ? { describe, why } : { describe: describe.skip, why: ` (${why})` }

  inIt.describe(`the file for ${language.name}${inIt.why}`, () => {
    let folder: ReturnType<typeof temporaryDirectory>
    let backend: ReturnType<typeof start>
    beforeAll(() => {
      folder = temporaryDirectory('bellhop-backend')
      backend = start(language.prepare(BACKENDS[language.name] ?? '', folder.path))
    }, 180_000)
    afterAll(async () => {
      await backend[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    })

    const push = async (call: object) => String((await backend.take({ call: 'push', message: PARCEL, ...call })).is)

    test('sends to a device, to a user and to everyone, and tells how far a push is', async () => {
      const everyone = { target: { platform: ['1'] }, message: { ...PARCEL, sound: '', badge: '' } }
      const pushes = [await push({ target: PHONE, message: { ...PARCEL, sound: '', badge: '' } })]
      pushes.push(await push({ target: ANN }), await push(everyone))
      expect(new Set(pushes).size).toBe(3)
      for (const id of pushes) expect((await backend.take({ call: 'status', id })).is).toMatchObject({ id, t: 1 })
    })

    test('sends a push with the same key once, and others each time', async () => {
      const key = `${language.name}-order-17`
      const once = await push({ target: ANN, key })
      expect(await push({ target: ANN, key })).toBe(once)
      expect(await push({ target: ANN })).not.toBe(await push({ target: ANN }))
    })

    test('proves a user to an application that verifies users', async () => {
      for (const user of USERS) {
        const { is: proof } = await backend.take({ call: 'proof', user })
        const device = { token: `${language.name}-phone`, platform: '1', user }
        const register = (fields: object) => service.put('/deviceToken', { ...device, ...fields }, { as: 'device' })
        expect([user, (await register({ user_proof: proof })).status]).toEqual([user, 201])
        expect((await register({ user_proof: 'ab'.repeat(32) })).status).toBe(401)
        await service.put('/deviceToken/del', device)
      }
    })

    test('takes a webhook that is genuine, and no other', async () => {
      const { body, headers } = webhook
      const sent = Number(headers['webhook-timestamp'])
      const given = { call: 'verify', body, secret: SECRET, now: sent + 290 }
      const own = ['id', 'timestamp', 'signature'].map((name) => `webhook-${name}`)
      const named = Object.fromEntries(own.map((name) => [name, String(headers[name])]))
      const verified = async (changed: object, header: object = {}) =>
        backend.take({ ...given, headers: { ...named, ...header }, ...changed })

      expect(await verified({})).toEqual({ is: JSON.parse(body) })
      const rotated = `v1,${'A'.repeat(43)}= ${named['webhook-signature']}`
      expect(await verified({}, { 'webhook-signature': rotated })).toEqual({ is: JSON.parse(body) })
      const refused = await Promise.all([
        verified({ body: body.replace('"t":1', '"t":2') }),
        verified({ secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }),
        verified({ now: sent + 310 }),
        verified({ now: sent - 310 }),
        verified({}, { 'webhook-id': 'another' }),
        verified({}, { 'webhook-timestamp': String(sent + 1) }),
        verified({}, { 'webhook-timestamp': 'now' }),
        verified({}, { 'webhook-signature': '' }),
        verified({}, { 'webhook-signature': 'v1,é' }),
        verified({ headers: {} }),
      ])
      expect(refused.filter(({ is }) => is !== null)).toEqual([])
      expect(await verified({ secret: '' })).toEqual({ message: 'The secret of a webhook is whsec_…' })
    })

    test('says what the server refuses, by its code, and never the secret', async () => {
      const all = { call: 'push', target: { platform: ['1'] }, message: { ...PARCEL, sound: '', badge: 'many' } }
      const refused = await backend.take(all)
      expect(refused).toEqual({
        status: 400,
        code: 'InvalidArgument',
        message: expect.stringMatching(/^Bellhop answered 400 InvalidArgument: badge /),
      })
      const wrong = `bhs_${'x'.repeat(43)}`
      const unknown = await backend.take({ ...all, place: [service.url, shop.id, wrong] })
      expect(unknown).toEqual({
        status: 401,
        code: 'InvalidCredentials',
        message: expect.stringMatching(/^Bellhop answered 401 InvalidCredentials: \S/),
      })
      const nobody = await backend.take({ call: 'status', id: '../pushes' })
      expect(nobody).toMatchObject({ status: 404, code: 'ResourceNotFound' })
      expect(JSON.stringify([refused, unknown, nobody])).not.toMatch(/bhs_/)
      expect((await backend.take({ call: 'show' })).is).not.toContain(shop.secret)
    })

    test.each([
      [['ftp://x', 'app_1', 'bhs_1'], 'BELLHOP_URL must be an address, such as https://push.example.com.'],
      [['http://x', 'bhs_1', 'bhs_1'], 'BELLHOP_APP_ID must be the ID of an application, app_…'],
      [['http://x', 'app_1', 'bhs_1\r\nX: y'], 'BELLHOP_SECRET must be the secret of an application, bhs_…'],
    ])('refuses %p', async (place, message) => {
      expect(await backend.take({ call: 'push', place, target: ANN, message: PARCEL })).toEqual({ message })
    })

    const inFramework = language.glue === undefined ? () => {} : test
    inFramework('sends by its framework, once however often the job is tried', async () => {
      const user = `${language.name}-user`
      const device = { token: user, platform: '1' }
      await service.put('/deviceToken', { ...device, user })
      const { body: before } = await service.get('/pushes')
      const notify = (given: object) => backend.take({ call: 'notify', user, message: PARCEL, ...given })
      for (const job of ['1', '1', '2']) expect(await notify({ job })).toEqual({ is: null })
      expect(await notify({ job: '3', target: { ...device, sound: '', badge: '' } })).toEqual({ is: null })
      const { body: after } = await service.get('/pushes')
      expect(after.slice(0, after.length - before.length)).toMatchObject([{ t: 1 }, { t: 1 }, { t: 1 }])
      await service.put('/deviceToken/del', device)
    })

    describe('where the server does not take the call', () => {
      /** One push after another, to a server that gives these answers and then Bellhop's. */
      async function pushTo(...answers: ReturnType<typeof status>[]) {
        await using receiver = await startReceiver({ plain: true })
        receiver.answer = (response, received) => {
          const answer = answers[receiver.received.length - 1]
          if (answer !== undefined) return answer(response, received)
          response.setHeader('content-type', 'application/json').end('{"message":"Queued","id":"a-push"}')
        }
        const place = [`http://127.0.0.1:${receiver.port}/`, shop.id, shop.secret]
        const said = await backend.take({ call: 'push', place, target: ANN, message: PARCEL })
        const tries = receiver.received.map(({ headers, body }) => ({
          key: headers['idempotency-key'],
          body: JSON.parse(body),
        }))
        return { said, tries }
      }
      const soon = { 'retry-after': '0' }
      const hangUp: ReturnType<typeof status> = (response) => void response.destroy()

      test.each([
        ['503', status(503, soon)],
        ['429', status(429, soon)],
        ['no answer', hangUp],
      ])('repeats it after %s, with the same key', async (_, answer) => {
        const { said, tries } = await pushTo(answer)
        expect(said).toEqual({ is: 'a-push' })
        const same = { key: expect.stringMatching(/^[\w-]{32,36}$/), body: { ...ANN, ...PARCEL } }
        expect(tries).toEqual([same, same])
        expect(tries[0]?.key).toBe(tries[1]?.key)
      })

      test('gives up after three tries', async () => {
        const { said, tries } = await pushTo(status(502, soon), status(503, soon), status(504, soon))
        expect(said).toEqual({ status: 504, code: '', message: 'Bellhop answered 504.' })
        expect(tries.length).toBe(3)
      })

      const proxy =
        (code: number, text: string): ReturnType<typeof status> =>
        (response) =>
          void response.writeHead(code, { 'content-type': 'application/json', ...soon }).end(text, 'latin1')

      test.each([
        [502, '{"message":"Internal server error"}'],
        [404, '{"code":404,"message":"Not found"}'],
        [403, 'null'],
        [403, '["no"]'],
        [403, '<p>é'],
      ])('has no code where a proxy answers %d %s', async (code, text) => {
        const { said } = await pushTo(...Array.from({ length: 3 }, () => proxy(code, text)))
        expect(said).toEqual({ status: code, code: '', message: `Bellhop answered ${code}.` })
      })

      test.each(['{"message":"Queued"}', '{"id":7}', 'null', '<p>é'])(
        'has no push where a proxy answers 200 %s',
        async (text) => {
          const { said } = await pushTo(...Array.from({ length: 3 }, () => proxy(200, text)))
          expect(said).toEqual({ status: 0, code: '', message: expect.stringMatching(/^Bellhop did not answer: ./) })
        },
      )

      test('does not wait for an hour', async () => {
        const { said, tries } = await pushTo(status(507, { 'retry-after': '3600' }))
        expect(said).toMatchObject({ status: 507, message: 'Bellhop answered 507.' })
        expect(tries.length).toBe(1)
      })

      test('takes the secret to no other server', async () => {
        await using other = await startReceiver({ plain: true })
        for (const code of [302, 307]) {
          const { said, tries } = await pushTo(status(code, { location: `http://127.0.0.1:${other.port}/` }))
          expect(said).toEqual({ status: code, code: '', message: `Bellhop answered ${code}.` })
          expect(tries.length).toBe(1)
        }
        expect(other.received).toEqual([])
      })
    })
  })
}

interface Said {
  readonly is?: unknown
  readonly status?: number
  readonly code?: string
  readonly message?: string
}

/** Takes calls, one per line. */
function start(command: readonly string[]) {
  const child = Bun.spawn([...command], {
    env: {
      ...process.env,
      BELLHOP_URL: service.url,
      BELLHOP_APP_ID: shop.id,
      BELLHOP_SECRET: shop.secret,
      BELLHOP_USER_KEY: userKey,
      // Elixir reads its input in this encoding.
      LC_ALL: 'C.UTF-8',
    },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]()
  return {
    async take(call: object): Promise<Said> {
      void child.stdin.write(`${JSON.stringify(call)}\n`)
      const { value } = await lines.next()
      return JSON.parse(String(value)) as Said
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
