import { NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { afterAll, describe, expect, test } from 'bun:test'
import { createAlertStore } from '../../src/alert/alert-store.ts'
import { createAdministratorStore } from '../../src/admin/administrator-store.ts'
import { systemClock } from '../../src/clock.ts'
import { fileService } from '../support/file-service.ts'
import { authenticator } from '../support/authenticator.ts'
import { ACCOUNT, ACCOUNT_FILE } from '../gateway/fcm/account.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'
import { createAdminCaller } from './admin-caller.ts'

const PASSWORD = 'correct horse battery'
/** Recovery codes of ann that are left. */
let codes: string[] = []
const keepCodes = ({ recoveryCodes }: { recoveryCodes: string[] }) => (codes = recoveryCodes)
/** Of their app. */
let code = (): string => ''
/** Where nobody answers. */
const NOBODY = 'https://127.0.0.1:1'

const HOOK_TEMPLATE = JSON.stringify({ push: { users: ['ann'], msg: 'Hello' } })

interface Operation {
  readonly method: string
  readonly path: string
  readonly summary?: string
  readonly 'x-changes-nothing'?: true
  readonly 'x-audit-action'?: string
  readonly responses: Readonly<Record<string, { readonly content: object }>>
}

/** A call of a kind that succeeds. */
interface Success {
  /** What stands for `{…}` of the path; `id` is an application by default. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** As somebody who is signed in, in the place of a token. */
  readonly isBySession?: true
  /** What a later call needs of the answer. */
  readonly keep?: (answer: any) => unknown
}

const folder = temporaryDirectory('bellhop')
const config = { backup: folder.path, backupVerify: 'off', fcmUrl: NOBODY, fcmTokenUrl: NOBODY } as const
const service = await fileService({ config })
const call = createAdminCaller(service)
afterAll(() => folder[Symbol.dispose]())
const { paths } = (await call('GET', '/openapi.json')).body
const operations: readonly Operation[] = Object.entries<Record<string, Pick<Operation, 'responses'>>>(paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, said]) => Object.assign(said, { method: method.toUpperCase(), path })),
)

const newApplication = (simulated = true) => service.addApplication(crypto.randomUUID(), {}, simulated)

async function withAccount(): Promise<string> {
  const { id } = newApplication()
  await call('PUT', `/api/applications/${id}/credentials/fcm`, { serviceAccount: ACCOUNT_FILE })
  return id
}

/** Sent to one device. */
async function newPush() {
  const { id } = newApplication()
  const body = { platform: [0], msg: 'Hello', sound: '', badge: '' }
  await call('PUT', `/api/applications/${id}/v1/deviceToken`, { token: 'a1'.repeat(32), platform: '0' })
  const push = (await call('POST', `/api/applications/${id}/v1/push/all`, body)).body.id
  const state = async () => (await call('GET', `/api/applications/${id}/v1/push/${push}`)).body.state
  await until(async () => (await state()) === 'finished')
  return { id, push }
}

/** By method and path, in the order of what one needs of another: how each that there is comes to succeed. */
const SUCCESSES: Readonly<Record<string, () => Success | Promise<Success>>> = {
  'POST /api/session': () => ({ body: { name: 'ann', password: PASSWORD } }),
  'POST /api/second-factor': () => ({
    isBySession: true,
    keep: ({ secret }) => (code = authenticator(secret, systemClock)),
  }),
  'POST /api/second-factor/confirm': () => ({ isBySession: true, body: { code: code() }, keep: keepCodes }),
  'POST /api/second-factor/recovery-codes': () => ({ isBySession: true, body: { code: codes.pop() }, keep: keepCodes }),
  'POST /api/session/code': async () => {
    const { step } = (await call('POST', '/api/session', { name: 'ann', password: PASSWORD })).body
    return { body: { step, code: codes.pop() } }
  },
  'DELETE /api/second-factor': () => ({ isBySession: true, body: { code: codes.pop() } }),
  'DELETE /api/session': () => ({ isBySession: true }),
  'DELETE /api/sessions': () => ({ isBySession: true }),
  'PUT /api/password': () => ({ isBySession: true, body: { current: PASSWORD, password: PASSWORD } }),
  'POST /api/link': async () => {
    const { link } = (await call('POST', '/api/administrators')).body
    return { body: { link, name: 'bob', password: PASSWORD } }
  },
  'POST /api/administrators': () => ({}),
  'DELETE /api/administrators/{name}': () => ({ parameters: { name: 'bob' } }),
  'POST /api/tokens': () => ({ body: { name: 'ci' } }),
  'DELETE /api/tokens/{name}': () => ({ parameters: { name: 'ci' } }),
  'POST /api/applications': () => ({ body: { name: 'New' } }),
  'POST /api/arrivals': () => ({
    body: { schema: NEWEST_SCHEMA, version: '1.0.0', id: 'app_new', name: 'Comes', hooks: ['none'], bytes: 0 },
  }),
  'PATCH /api/applications/{id}': () => ({ body: { rate: 5 } }),
  'DELETE /api/applications/{id}': async () => {
    const { id, name } = (await call('POST', '/api/applications', { name: 'Doomed' })).body
    return { parameters: { id }, body: { name } }
  },
  'POST /api/applications/{id}/rotate-secret': () => ({ parameters: { id: newApplication().id } }),
  'POST /api/applications/{id}/simulate': () => ({ body: { simulate: true } }),
  'PUT /api/applications/{id}/credentials/apns': async () => {
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
    const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64')
    const key = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----`
    return {
      parameters: { id: newApplication().id },
      body: { key, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', topic: 'com.example.shop' },
    }
  },
  'PUT /api/applications/{id}/credentials/fcm': () => ({
    parameters: { id: newApplication().id },
    body: { serviceAccount: ACCOUNT_FILE },
  }),
  'PUT /api/applications/{id}/credentials/webpush': () => ({
    parameters: { id: newApplication().id },
    body: { subject: 'mailto:push@shop.example' },
  }),
  'DELETE /api/applications/{id}/credentials/{provider}': async () => ({
    parameters: { id: await withAccount(), provider: 'fcm' },
  }),
  'POST /api/applications/{id}/credentials/{provider}/test': async () => ({
    parameters: { id: await withAccount(), provider: 'fcm' },
  }),
  'PUT /api/applications/{id}/v1/{path}': () => ({
    parameters: { path: 'deviceToken' },
    body: { token: 'a1'.repeat(32), platform: 0 },
  }),
  'PUT /api/applications/{id}/v1/push/{push}/shown': async () => ({
    parameters: await newPush(),
    body: { msg: 'Bye' },
  }),
  'DELETE /api/applications/{id}/v1/push/{push}/shown': async () => ({ parameters: await newPush() }),
  'POST /api/applications/{id}/v1/{path}': () => ({
    parameters: { path: 'push/all' },
    body: { platform: [0], msg: 'Hello', sound: '', badge: '' },
  }),
  'PUT /api/applications/{id}/webhook': () => ({ body: { url: 'https://hooks.test/' } }),
  'DELETE /api/applications/{id}/webhook': () => ({}),
  'PUT /api/applications/{id}/hooks/{hook}': () => ({
    parameters: { id: newApplication().id, hook: 'orders' },
    body: { template: HOOK_TEMPLATE },
  }),
  'DELETE /api/applications/{id}/hooks/{hook}': async () => {
    const { id } = newApplication()
    await call('PUT', `/api/applications/${id}/hooks/gone`, { template: HOOK_TEMPLATE })
    return { parameters: { id, hook: 'gone' } }
  },
  'POST /api/alerts/{alert}/test': () => {
    const stored = { database: service.database, clock: systemClock, key: new Uint8Array(32) }
    const alert = { name: 'tried', channel: 'ntfy', place: NOBODY, kinds: ['disk'] } as const
    createAlertStore(stored).add(alert, { url: NOBODY, secret: null })
    return { parameters: { alert: 'tried' } }
  },
  'POST /api/applications/{id}/webhook/retry': () => {
    const application = newApplication()
    const secret = `whsec_${'A'.repeat(43)}=`
    service.hook(application, { url: 'https://hooks.test/', events: ['push.finished'], secret })
    return { parameters: { id: application.id } }
  },
  'POST /api/pushes/{id}/resend': async () => {
    const { id } = newApplication()
    const body = { platform: [0], msg: 'Hello', sound: '', badge: '' }
    const token = 'bad41300'.padEnd(64, '0')
    await call('PUT', `/api/applications/${id}/v1/deviceToken`, { token, platform: '0' })
    const push = (await call('POST', `/api/applications/${id}/v1/push/all`, body)).body.id
    await until(async () => (await call('GET', `/api/pushes/${push}/resend`)).status === 200)
    return { parameters: { id: push }, body: {} }
  },
  'POST /api/backups': () => ({}),
}

/** A command has its own entry: see `audit.test.ts`. */
const changes = () =>
  operations.filter(
    ({ method, path, 'x-changes-nothing': isLook }) => method !== 'GET' && isLook !== true && path !== '/api/command',
  )

async function signIn(): Promise<string> {
  const first = await call('POST', '/api/session', { name: 'ann', password: PASSWORD })
  const { step } = first.body
  const { headers } = step === null ? first : await call('POST', '/api/session/code', { step, code: codes.pop() })
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

const newest = async (): Promise<{ number: number; who: string; action: string; origin: string }> =>
  (await call.newest()) ?? { number: 0, who: '', action: '', origin: '' }

test('every call that changes something is in the log, with whoever made it', async () => {
  createAdministratorStore({ database: service.database, clock: systemClock }).add(
    'ann',
    await Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 }),
  )
  expect(Object.keys(SUCCESSES).toSorted()).toEqual(
    changes()
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  )
  for (const [name, prepare] of Object.entries(SUCCESSES)) {
    const [method = '', path = ''] = name.split(' ')
    const { parameters = {}, body, isBySession, keep } = await prepare()
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => parameters[key] ?? service.application.id)
    const session = { cookie: isBySession ? await signIn() : '', authorization: '', origin: service.adminUrl }
    const before = await newest()
    const { status, body: answer } = await call(method, filled, body, isBySession ? session : {})
    expect({ name, answer, isDone: status === 200 || status === 201 }).toMatchObject({ name, isDone: true })
    keep?.(answer)
    const after = await newest()
    expect({ name, isWritten: after.number > before.number }).toEqual({ name, isWritten: true })
    const action = operations.find((one) => `${one.method} ${one.path}` === name)?.['x-audit-action'] ?? after.action
    expect({ name, ...after }).toMatchObject({ name, action, origin: '127.0.0.1' })
    expect(after.who).toMatch(
      isBySession || name.startsWith('POST /api/session') ? /^administrator ann$/ : /^(token test|administrator bob)$/,
    )
  }
})

test('a call that changes something says what the log calls it, apart from those that are handed on', () => {
  const silent = changes().filter(({ 'x-audit-action': action }) => action === undefined)
  expect(silent.map(({ path }) => path)).toEqual([
    '/api/applications/{id}/v1/{path}',
    '/api/applications/{id}/v1/{path}',
  ])
})

describe('the log', () => {
  const entries = async (query: string) => (await call('GET', `/api/log?${query}`)).body.entries

  test('has calls that were refused, with the code, and none of those that only read', async () => {
    const { number } = await newest()
    const { id } = newApplication()
    await call('PATCH', `/api/applications/${id}`, { rate: -1 })
    await call('DELETE', '/api/tokens/nowhere')
    const { token } = (await call('POST', '/api/tokens', { name: 'reader' })).body
    const authorization = `Bearer ${token}`
    await call('POST', `/api/applications/${id}/v1/push/all`, {}, { authorization })
    await call('DELETE', `/api/applications/${id}/v1/push/x/shown`, {}, { authorization })
    await call('GET', '/api/log', undefined, { authorization })
    await call('PUT', `/api/applications/${id}/v1/tag`, { token: 'a1'.repeat(32), platform: 0, tag: 'x' })
    await call('GET', '/api/applications/nowhere')
    await call('POST', `/api/applications/${id}/v1/push/preview`, {})
    await call('POST', '/api/session', { name: 'a password', password: 'wrong' }, { authorization: '' })
    const added = (await entries('limit=10')).filter((one: { number: number }) => one.number > number)
    const refused = { result: 'refused', origin: '127.0.0.1' }
    expect(added).toMatchObject([
      { ...refused, who: 'nobody', action: 'sign in', subject: '', code: 'InvalidCredentials' },
      { ...refused, who: 'token test', action: 'call', subject: id, code: 'ResourceNotFound' },
      { ...refused, who: 'token reader', action: 'withdraw', subject: id, code: 'ForbiddenError' },
      { ...refused, who: 'token reader', action: 'call', subject: id, code: 'ForbiddenError' },
      { who: 'token test', action: 'make token', subject: 'reader', result: 'ok' },
      { ...refused, who: 'token test', action: 'revoke token', subject: 'nowhere', code: 'ResourceNotFound' },
      { ...refused, who: 'token test', action: 'change limits', subject: id, code: 'InvalidArgument' },
    ])
    expect(JSON.stringify(added)).not.toContain('password')
  })

  test('has what was changed, before and after, and nothing that is secret', async () => {
    const { id } = newApplication()
    await call('PATCH', `/api/applications/${id}`, { rate: 20 })
    await call('PUT', `/api/applications/${id}/webhook`, { url: 'https://hooks.test/T0/hidden?key=1' })
    await call('PUT', `/api/applications/${id}/credentials/fcm`, { serviceAccount: ACCOUNT_FILE })
    const found = await entries(`application=${id}`)
    expect(found).toMatchObject([
      { action: 'store credential', changes: { fcm: { before: null, after: { projectId: ACCOUNT.projectId } } } },
      { action: 'set webhook', changes: { webhook: { before: null, after: 'https://hooks.test' } } },
      { action: 'change limits', changes: { rate: { after: 20 } } },
    ])
    expect(JSON.stringify(found)).not.toMatch(/hidden|key=1|PRIVATE KEY|whsec_/)
  })

  test('is there for programs as a whole, as JSON Lines and as a table', async () => {
    const { id } = newApplication()
    const { token } = (await call('POST', '/api/tokens', { name: 'exporter' })).body
    await call('PATCH', `/api/applications/${id}`, { rate: 20 })
    const exported = async (query: string) =>
      (
        await fetch(`${service.adminUrl}/api/log/export?application=${id}&${query}`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).text()
    const [line = '', ...rest] = (await exported('')).split('\n')
    expect({ action: JSON.parse(line).action, rest }).toEqual({ action: 'change limits', rest: [''] })
    expect((await exported('format=csv')).split('\r\n')).toHaveLength(3)
    expect(await exported('format=xml')).toContain('format must be json or csv')
  })
})

describe('the document', () => {
  test('is there for anybody, and says of each call what it takes', async () => {
    const response = await fetch(`${service.adminUrl}/openapi.json`)
    const document: any = await response.json()
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Bellhop admin API' } })
    for (const { method, path, responses } of operations) {
      const media = Object.values(responses['200']?.content ?? {})
      expect({ name: `${method} ${path}`, media }).toEqual({
        name: `${method} ${path}`,
        media: [
          {
            schema: expect.any(Object),
            ...(path.endsWith('/live') || path.endsWith('/service-log') ? { 'x-event-data': expect.any(Object) } : {}),
          },
        ],
      })
    }
    const create = document.paths['/api/applications'].post
    expect(create.requestBody.content['application/json'].schema).toMatchObject({
      required: ['name'],
      properties: { name: { type: 'string' }, simulate: { type: 'boolean' } },
      additionalProperties: false,
    })
    expect(create.responses['400'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Failure' })
    const live = document.paths['/api/pushes/{id}/live'].get
    expect(live.responses['200'].content).toEqual({
      'text/event-stream': {
        schema: { type: 'string' },
        'x-event-data': { $ref: '#/components/schemas/PushProgressEvent' },
      },
    })
    expect(operations.length).toBeGreaterThan(35)
  })

  test('leads to calls that there are', async () => {
    for (const { method, path } of operations) {
      if (method !== 'GET' || /\/(live|service-log|export)$/.test(path)) continue
      // Of whoever is signed in: a token is told so.
      if (path === '/api/second-factor') continue
      const filled = path.replace('{id}', service.application.id).replace('{path}', 'pushes')
      const { status } = await call(
        'GET',
        path.includes('/devices/search') ? `${filled}?q=x` : filled.replace('{device}', '999'),
      )
      const isThere = !path.endsWith('{device}') && !path.endsWith('{user}') && !path.startsWith('/api/pushes/')
      expect({ path, status }).toEqual({ path, status: isThere ? 200 : 404 })
    }
  })
})
