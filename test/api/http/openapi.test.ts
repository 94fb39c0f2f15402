import { beforeEach, describe, expect, test } from 'bun:test'
import type { Limits } from '../../../src/application/application.ts'
import { devicePropertyRoutes } from '../../../src/device/routes/device-property-routes.ts'
import { deviceRoutes } from '../../../src/device/routes/device-routes.ts'
import { registryRoutes } from '../../../src/device/routes/registry-routes.ts'
import { createApi } from '../../../src/http/api.ts'
import { createGate } from '../../../src/http/gate.ts'
import { cancelRoutes } from '../../../src/push/cancel-routes.ts'
import { previewRoutes } from '../../../src/push/preview/preview-routes.ts'
import { pushRoutes } from '../../../src/push/push-routes.ts'
import { shownRoutes } from '../../../src/push/shown/shown-routes.ts'
import { statusRoutes } from '../../../src/push/status/status-routes.ts'
import { statsRoutes } from '../../../src/stats/stats-routes.ts'
import { fileService } from '../../support/file-service.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { faultsOf, misfits, operationsOf } from '../../support/openapi.ts'
import type { Json, Operation } from '../../support/openapi.ts'
import { expectFailure } from '../../support/refusals.ts'
import type { Answer, Call, Credentials } from '../../support/service.ts'

/** What a push may say beside what the contract has. */
const MORE =
  'title subtitle image category thread collapse ttl priority silent mutable interruption relevance_score channel link actions languages apns fcm'

const PUSH_ALL = `platform msg sound badge payload tags tags_match except_tags active except_active alias Alias except_alias users except_users near seen_within not_seen_for registered_within where send_at send_at_local confirm replace ${MORE}`
const PUSH_ONE = `platform* token* msg* sound* badge* payload send_at replace ${MORE}`

/** The endpoints of the contract in its order: whether they need the secret, and their fields in every spelling, `*` where required. */
const ENDPOINTS: Readonly<Record<string, readonly [secret: boolean, fields: string]>> = {
  'PUT /deviceToken': [
    false,
    'token* platform* replaces lat lng active tag tags alias Alias user user_proof alias_proof timezone locale app_version client keys fcm_platform',
  ],
  'PUT /deviceToken/batch': [true, 'tokens* platform* tags tag fcm_platform'],
  'PUT /deviceToken/del': [false, 'token* platform*'],
  'PUT /alias': [false, 'platform* token alias* Alias current_alias alias_proof user_proof'],
  'PUT /tag': [false, 'platform* tag* tags token alias Alias'],
  'PUT /tag/del': [false, 'platform* tag* tags token alias Alias'],
  'PUT /geo': [false, 'platform* token* lat* lng*'],
  'GET /deviceToken/all': [true, ''],
  'GET /feedback': [true, ''],
  'GET /deviceToken/one': [false, ''],
  'POST /push/all': [true, PUSH_ALL],
  'POST /push/one': [true, PUSH_ONE],
  'PUT /badge': [false, 'token* platform* setbadgecount*'],
  'PUT /stats': [false, 'platform* event action id aid token clear'],
  'GET /analytics': [true, ''],
  // Beside the contract:
  'POST /push/preview': [true, [...new Set(`${PUSH_ALL} ${PUSH_ONE}`.replaceAll('*', '').split(' '))].join(' ')],
  'GET /push/{id}': [true, ''],
  'GET /pushes': [true, ''],
  'GET /push/{id}/failures': [true, ''],
  'GET /push/{id}/device': [true, ''],
  'POST /push/{id}/cancel': [true, ''],
  'DELETE /push/{id}/shown': [true, ''],
  'PUT /push/{id}/shown': [true, 'msg title platform'],
  'PUT /user/del': [true, 'user*'],
}

const clock = createFakeClock()
const service = await fileService({ clock, simulated: false })
const document: Json = (await service.get('/openapi.json', { as: 'nobody', headers: { 'accept-version': null } })).body
const operations = operationsOf(document)
// What an address may get wrong is limited: 20, and one more every 3 s. No test gets more than one secret wrong.
beforeEach(() => clock.advance(3000))

function operation(endpoint: string): Operation {
  const found = operations.find(({ method, path }) => `${method} ${path}` === endpoint)
  if (found === undefined) throw new Error(`${endpoint} is not described`)
  return found
}

/** Sends what the description gives as an example, or another body. */
function send({ method, path, detail }: Operation, call: Call = {}): Promise<Answer> {
  const parameters: readonly Json[] = detail['parameters']
  const headers = Object.fromEntries(
    parameters
      .filter((parameter) => parameter['in'] === 'header' && parameter['required'])
      .map((parameter) => [
        parameter['name'].toLowerCase(),
        String(parameter['example'] ?? parameter['schema']['example']),
      ]),
  )
  const body = detail['requestBody'] && { body: exampleOf(detail) }
  const id = pushes.get(call.application?.id ?? '') ?? '019a9f7e-3c1b-7000-8000-000000000000'
  return service.call(method, path.replace('{id}', id), { ...body, ...call, headers: { ...headers, ...call.headers } })
}

/** A push to a device that is not registered. */
const ONE = { platform: '0', token: 'nobody', msg: 'Hello', sound: '', badge: '' }

const exampleOf = (detail: Json) => examplesOf(detail)[0]

function examplesOf(detail: Json): readonly Json[] {
  const { example, examples = {} } = detail['requestBody'].content['application/json']
  return example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example]
}

let applications = 0

/** The push of each application that has one, by its id. */
const pushes = new Map<string, string>()

/** An application in which the device of the examples is registered, as the first of them does it. */
async function applicationWithDevice(limits?: Partial<Limits>): Promise<Credentials> {
  const application = service.addApplication(`example ${++applications}`, limits, false)
  expect(await send(operation('PUT /deviceToken'), { application })).toMatchObject({ status: 201 })
  return application
}

/**
 * The same; where the endpoint tells of pushes, with one that waits, since there is no credential. As
 * far as `/shown` knows, it has reached somebody.
 */
async function applicationFor(endpoint: string): Promise<Credentials> {
  const application = await applicationWithDevice()
  if (!endpoint.includes('{id}') && !endpoint.endsWith('/pushes')) return application
  const { status, body } = await service.post('/push/all', { tags: 'beta', msg: 'Hello' }, { application })
  expect(status).toBe(200)
  pushes.set(application.id, body.id)
  if (endpoint.endsWith('/shown')) changeDelivery(body.id, 'accepted = 1')
  return application
}

function changeDelivery(push: string, change: 'accepted = 1' | 'finished_at = 0, accepted = 0'): void {
  const statement = service.database.statement<never, [string]>(
    `UPDATE delivery SET ${change} WHERE push = (SELECT number FROM push WHERE id = ?)`,
  )
  statement.run(push)
}

/** As it is while another server copies its rows. */
function applicationBeingMoved(): Credentials {
  const application = service.addApplication(`moving ${++applications}`)
  const freeze = service.database.statement<never, [string]>(
    `INSERT INTO application_move (id, application, name, phase, changed_at)
     SELECT id, number, name, 'frozen', 0 FROM application WHERE id = ?`,
  )
  service.database.transact(() => void freeze.run(application.id))
  return application
}

/** An application whose push, where it has one, is over, and reached nobody. */
async function applicationWhosePushIsOver(endpoint: string): Promise<Credentials> {
  const application = await applicationFor(endpoint)
  changeDelivery(pushes.get(application.id) ?? '', 'finished_at = 0, accepted = 0')
  return application
}

describe('/openapi.json', () => {
  test('is OpenAPI 3.1.0, its examples fit its schemas, and its references lead somewhere', () => {
    expect(faultsOf(document)).toEqual([])
  })

  test('describes the fifteen endpoints of the contract and those beside it, and nothing else', () => {
    const described = operations.map(({ method, path }) => `${method} ${path}`)
    expect(described.toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted())
  })

  test('leaves out only itself, its page, the manual and /healthz', () => {
    const gate = createGate(() => ({ kind: 'refused', why: { code: 'InternalError', message: '' } }))
    const plugins = [
      deviceRoutes,
      devicePropertyRoutes,
      registryRoutes,
      pushRoutes,
      cancelRoutes,
      shownRoutes,
      previewRoutes,
      statusRoutes,
      statsRoutes,
    ]
    const routes = plugins.map((make) => make({ gate } as never))
    const served = createApi({ gate, log: service.log as never, routes }).routes
    const hidden = served
      .map(({ method, path }) => `${method} ${path.replace(':id', '{id}')}`)
      .filter((route) => !(route in ENDPOINTS))
    expect(hidden.toSorted()).toEqual([
      'GET /docs',
      'GET /docs/client',
      'GET /docs/start.js',
      'GET /docs/swagger-ui.css',
      'GET /docs/swagger-ui.js',
      'GET /healthz',
      'GET /llms.txt',
      'GET /manual',
      'GET /manual/:topic',
      'GET /openapi-3.0.json',
      'GET /openapi.json',
    ])
  })

  for (const path of new Set(Object.keys(ENDPOINTS).map((endpoint) => endpoint.split(' ')[1] ?? ''))) {
    test(`knows the methods of ${path}`, async () => {
      const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method)
      const answer = await service.call('PATCH', path)
      expectFailure(answer, 405, 'MethodNotAllowedError', 'PATCH is not allowed')
      // HEAD goes without saying where GET is.
      const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      expect(answer.headers.get('allow')).toBe(allowed.join(', '))
    })
  }
})

for (const [endpoint, [secret, fields]] of Object.entries(ENDPOINTS)) {
  describe(`the description of ${endpoint}`, () => {
    const required = fields.split(' ').filter((field) => field.endsWith('*'))
    const bodySchema = () => operation(endpoint).detail['requestBody'].content['application/json'].schema

    test('has a summary, and says which headers it takes', () => {
      const { detail } = operation(endpoint)
      expect(detail['summary']).not.toBeEmpty()
      const version = detail['parameters'].find(({ name }: Json) => name === 'Accept-Version')
      expect(version).toMatchObject({ in: 'header', required: true })
      for (const { name, description } of detail['parameters'])
        expect({ name, description }).not.toMatchObject({ description: '' })
      const headers = Object.keys(detail['security'][0]).map(
        (name) => document['components'].securitySchemes[name].name,
      )
      expect(headers).toEqual(['X-SERVICE-APPID', ...(secret ? ['X-SERVICE-SECRET'] : [])])
      expect(detail['security']).toHaveLength(1)
    })

    test('asks for the secret where it is asked for', async () => {
      const application = await applicationFor(endpoint)
      const nobody = await send(operation(endpoint), { as: 'nobody' })
      expectFailure(nobody, 400, 'InvalidHeader', 'Authentication headers not found.')
      const device = await send(operation(endpoint), { as: 'device', application })
      if (secret) expectFailure(device, 400, 'InvalidHeader', 'Authentication headers not found.')
      else expect([200, 201]).toContain(device.status)
    })

    if (fields !== '') {
      test('names each field of the body, which of them are required, and the limits of each', () => {
        const schema = bodySchema()
        expect(Object.keys(schema.properties).toSorted()).toEqual(fields.replaceAll('*', '').split(' ').toSorted())
        expect(schema.required ?? []).toEqual(required.map((field) => field.slice(0, -1)))
        for (const [name, property] of Object.entries<Json>(schema.properties)) {
          expect({ name, limited: isLimited(property) }).toEqual({ name, limited: true })
        }
      })

      test('has examples, and the service takes each', async () => {
        const examples = examplesOf(operation(endpoint).detail)
        expect(examples).not.toBeEmpty()
        for (const example of examples) {
          expect(misfits(document, bodySchema(), example)).toEqual([])
          const { status, body } = await send(operation(endpoint), {
            body: example,
            application: await applicationFor(endpoint),
          })
          expect([200, 201], body.message).toContain(status)
        }
      })

      test('gives no example of a field that the service would refuse', async () => {
        const { detail } = operation(endpoint)
        for (const [name, { example }] of Object.entries<Json>(bodySchema().properties)) {
          if (example === undefined) continue
          const { status, body } = await send(operation(endpoint), { body: { ...exampleOf(detail), [name]: example } })
          expect([200, 201, 404], body.message).toContain(status)
        }
      })
    }

    test('has an example that the service takes, and answers as described', async () => {
      const { detail } = operation(endpoint)
      const documented = Object.keys(detail['responses']).filter((status) => status.startsWith('2'))
      const application = await applicationFor(endpoint)
      const empty = service.addApplication(`empty ${++applications}`, {}, false)
      const answers = [await send(operation(endpoint), { application })]
      // What registers, registers anew in an empty application.
      if (documented.length > 1) answers.push(await send(operation(endpoint), { application: empty }))
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(documented)
      for (const { status, body } of answers) {
        if (Array.isArray(body) && body.length === 0) continue
        const { schema, example } = detail['responses'][status].content['application/json']
        expect(misfits(document, schema, body)).toEqual([])
        expect(fieldsOf(body)).toEqual(fieldsOf(example))
      }
    })

    test('names every failure it can answer with, and no other', async () => {
      const { detail } = operation(endpoint)
      const application = await applicationFor(endpoint)
      const empty = service.addApplication(`empty ${++applications}`, {}, false)
      const slow = await applicationWithDevice({ backendRate: 1, backendBurst: 1 })
      const short = await applicationWithDevice({ quota: 1 })
      const answers = [
        await send(operation(endpoint), { application, headers: { 'accept-version': null } }),
        await send(operation(endpoint), { application, headers: { 'x-service-secret': 'wrong' } }),
        await send(operation(endpoint), { application: slow }),
        await send(operation(endpoint), { application: short }),
        await send(operation(endpoint), { application: empty }),
        await send(operation(endpoint), { application: applicationBeingMoved() }),
        await send(operation(endpoint), { application: await applicationWhosePushIsOver(endpoint) }),
        ...(endpoint === 'POST /push/preview'
          ? [await send(operation(endpoint), { application: empty, body: ONE })]
          : []),
        await send(operation(endpoint), { application, headers: { token: null }, ...(fields && { body: {} }) }),
        ...(fields ? [await send(operation(endpoint), { application, body: 'x'.repeat(256 * 1024 + 1) })] : []),
      ].filter(({ status }) => status >= 300)
      const documented = Object.keys(detail['responses']).filter((status) => /^[45]/.test(status) && status !== '500')
      expect([...new Set(answers.map(({ status }) => String(status)))].toSorted()).toEqual(documented)
      for (const { status, body } of answers) {
        const { description, content } = detail['responses'][status]
        expect(description).toContain(body.code)
        expect(content['application/json'].examples[body.code].value).toMatchObject({ code: body.code })
        expect(misfits(document, content['application/json'].schema, body)).toEqual([])
      }
      expect(detail['responses'][500].description).toContain('InternalError')
    })
  })
}

/** A bound that a program can read, or a number in words. */
function isLimited(schema: Json): boolean {
  if ('$ref' in schema) return /\d/.test(schema['description'])
  if (schema['type'] === 'array') {
    const items = schema['items']
    const isClosed = items.additionalProperties === false
    return ('maxItems' in schema || 'enum' in items) && (isClosed || isLimited(items))
  }
  const inNumbers = ['enum', 'format', 'maxLength', 'maximum'].some((keyword) => keyword in schema)
  return inNumbers || /\d/.test(schema['description'])
}

/** The fields, of its first entry where it is a list. */
function fieldsOf(value: unknown): readonly string[] {
  const [one] = Array.isArray(value) ? value : [value]
  return Object.keys(one)
}
