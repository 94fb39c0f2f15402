import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { EXAMPLE_TOKEN } from '../../../src/device/device-fields.ts'
import { fileService } from '../../support/file-service.ts'
import { operationsOf } from '../../support/openapi.ts'
import type { Json, Operation } from '../../support/openapi.ts'
import type { Answer } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { createAnswerCheck } from './answer-check.ts'
import { fitting } from './fitting.ts'
import { misfitting } from './misfit.ts'

/* The API as a stranger sees it, who has only read /openapi.json: calls come from its schemas, answers are held to them. */

const service = await fileService()
const document: Json = (await service.get('/openapi.json')).body
const operations = operationsOf(document)
const check = createAnswerCheck(document)
const known: string[] = []

/** What the examples are about: the device, which some of them unregister, and a push that waits, or that is shown. */
async function prepare({ path }: Operation): Promise<void> {
  const registration = operations.filter(({ path }) => path === '/deviceToken').flatMap(examplesOf)
  for (const [, example] of registration) {
    expect((await service.put('/deviceToken', example)).status).toBeLessThan(300)
  }
  const isShown = path.endsWith('/shown')
  const one = { platform: '0', token: EXAMPLE_TOKEN, msg: 'Hello', sound: '', badge: '' }
  const { id } = (await service.post('/push/one', { ...one, ...(!isShown && { send_at: 3600 }) })).body
  if (isShown) await until(async () => (await service.get(`/push/${id}`)).body.s > 0)
  known.push(id)
}

const schemaOf = ({ detail }: Operation): Json | undefined => detail['requestBody']?.content['application/json'].schema

/** What the document shows of an operation is tried first. */
function examplesOf({ path, detail }: Operation): [Parameters, unknown][] {
  const { example, examples = {} } = detail['requestBody']?.content['application/json'] ?? {}
  const bodies = example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example]
  return bodies.map((body) => [{ path, headers: {} }, body])
}

/** A parameter's value, or that it is not given. */
function parameterOf({ schema, required = false, example }: Json, documented: Json): fc.Arbitrary<unknown> {
  const values = fitting(documented, { ...schema, ...(example !== undefined && { example }) })
  return required ? values : fc.option(values, { nil: undefined })
}

interface Parameters {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

function parametersOf({ path, detail }: Operation): fc.Arbitrary<Parameters> {
  const parameters = (detail['parameters'] as readonly Json[]).filter(({ name }) => name !== 'Accept-Version')
  const values = fc.tuple(...parameters.map((parameter) => parameterOf(parameter, document)))
  return fc.tuple(values, fc.constantFrom('known', 'drawn')).map(([drawn, id]) => {
    const headers: Record<string, string> = {}
    const query = new URLSearchParams()
    let filled = path
    for (const [n, { name, in: where }] of parameters.entries()) {
      const given = where === 'path' && id === 'known' ? known.at(-1) : drawn[n]
      if (given === undefined) continue
      const value = typeof given === 'string' ? given : JSON.stringify(given)
      if (where === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
      else if (where === 'query') query.set(name, value)
      else headers[String(name).toLowerCase()] = sendable(value)
    }
    return { path: query.size > 0 ? `${filled}?${query.toString()}` : filled, headers }
  })
}

/** What a client can put into a header at all (RFC 9110, 5.5). */
function sendable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '_').trim() || '_'
}

async function send({ method }: Operation, { path, headers }: Parameters, body?: unknown): Promise<Answer> {
  return service.call(method, path, { headers, ...(body !== undefined && { body }) })
}

const runs = (numRuns: number) => ({ numRuns, seed: 20261122, endOnFailure: false })

test('every operation answers what fits its description as its description says, and each takes some of it', async () => {
  for (const operation of operations) {
    const schema = schemaOf(operation)
    const body = schema === undefined ? fc.constant(undefined) : fitting(document, schema)
    const taken = new Set<boolean>()
    await prepare(operation)
    await fc.assert(
      fc.asyncProperty(parametersOf(operation), body, async (parameters, body) => {
        const answer = await send(operation, parameters, body)
        check.expectDescribed(operation, answer)
        expect(answer.status).toBeLessThan(500)
        taken.add(answer.status < 300)
        if (answer.status === 200 && /^\/push\/(all|one)$/.test(operation.path)) known.push(answer.body.id)
      }),
      { ...runs(20), examples: examplesOf(operation) },
    )
    expect(taken, `${operation.method} ${operation.path}`).toContain(true)
  }
})

describe('what does not fit its description is refused', () => {
  test('with a failure that is described, whatever else is said', async () => {
    for (const operation of operations) {
      const schema = schemaOf(operation)
      // Old apps say of an opened push what they like; what is no id or token is read over.
      if (schema === undefined || operation.path === '/stats') continue
      await fc.assert(
        fc.asyncProperty(misfitting(document, schema), async ({ body, why }) => {
          const answer = await send(operation, { path: operation.path, headers: {} }, body)
          check.expectDescribed(operation, answer)
          const told = `${operation.path}: ${why}, ${JSON.stringify(body)}`
          expect([told, answer.status >= 400 && answer.status < 500]).toEqual([told, true])
        }),
        runs(80),
      )
    }
  })
})
