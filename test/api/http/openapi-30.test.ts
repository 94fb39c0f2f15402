import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import Ajv2020 from 'ajv/dist/2020'
import { inOpenApi30 } from '../../../src/http/document/openapi-30.ts'
import { fileService } from '../../support/file-service.ts'
import { operationsOf } from '../../support/openapi.ts'
import type { Json } from '../../support/openapi.ts'
import { redoclyProblems } from '../../support/redocly.ts'
import { startService } from '../../support/service.ts'

const service = await fileService()
const read = async (path: string) =>
  (await service.get(path, { as: 'nobody', headers: { 'accept-version': null } })).body
/** `/openapi.json`, and `/openapi-3.0.json`. */
const newer = await read('/openapi.json')
const older = await read('/openapi-3.0.json')

const problemsOf = (document: Json) => redoclyProblems(JSON.stringify(document))

/** Generators make one name of both. */
const isNoSecondSpelling = (name: string) => name !== 'Alias'

describe('/openapi-3.0.json', () => {
  test("is OpenAPI 3.0.3, in which redocly's recommended rules find nothing", async () => {
    expect(older['openapi']).toBe('3.0.3')
    expect(await problemsOf(older)).toEqual([])
  })

  test('is so with --compat', async () => {
    await using compatible = await startService({ config: { compat: true } })
    const text = await (await fetch(`${compatible.url}/openapi-3.0.json`)).text()
    expect(await redoclyProblems(text)).toEqual([])
  })

  test('would not be without what is changed', async () => {
    expect(await problemsOf({ ...newer, openapi: '3.0.3' })).not.toEqual([])
  })

  test('has every operation, parameter, field and webhook of the other', () => {
    const shapeOf = (document: Json) =>
      operationsOf(document).map(({ method, path, detail }) => [
        `${method} ${path}`,
        detail['operationId'],
        detail['parameters'].map(({ name }: Json) => name),
        Object.keys(detail['responses']),
        Object.keys(detail['requestBody']?.content['application/json'].schema.properties ?? {}).filter(
          isNoSecondSpelling,
        ),
      ])
    expect(shapeOf(older)).toEqual(shapeOf(newer))
    expect(JSON.stringify(newer)).toContain('"Alias":')
    expect(JSON.stringify(older)).not.toContain('"Alias":')
    expect(shapeOf({ paths: older['x-webhooks'] })).toEqual(shapeOf({ paths: newer['webhooks'] }))
    expect(Object.keys(older['components'].schemas)).toEqual(Object.keys(newer['components'].schemas))
    expect(older['components'].securitySchemes).toEqual(newer['components'].securitySchemes)
  })
})

test('null, a description beside a reference and an SPDX identifier are said as 3.0 has them', () => {
  const device = { $ref: '#/components/schemas/Device' }
  const nullable = { anyOf: [device, { type: 'null' }], description: 'The last.' }
  const enumerated = { type: ['string', 'null'], enum: ['0', null], description: 'Which.' }
  const schemas = { a: enumerated, b: nullable, c: { ...device, description: 'The first.' }, d: device }
  const example = { type: ['string', 'null'] }
  const license = { name: 'MIT', identifier: 'MIT' }
  const made = inOpenApi30({ openapi: '3.1.0', info: { license }, components: { schemas }, webhooks: {}, example })
  expect(made).toEqual({
    openapi: '3.0.3',
    info: { license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT' } },
    components: {
      schemas: {
        a: { type: 'string', nullable: true, enum: ['0', null], description: 'Which.' },
        b: { type: 'object', nullable: true, allOf: [device], description: 'The last.' },
        c: { allOf: [device], description: 'The first.' },
        d: device,
      },
    },
    'x-webhooks': {},
    example,
  })
})

test('for generators a field has one spelling, and what may be null is not required', () => {
  const properties = { alias: { type: ['string', 'null'] }, Alias: { type: 'string' }, token: { type: 'string' } }
  const of = (required: readonly string[]) =>
    inOpenApi30({ openapi: '3.1.0', info: { license: {} }, a: { type: 'object', required, properties } })['a']
  const lowered = { alias: { type: 'string', nullable: true }, token: { type: 'string' } }
  expect(of(['alias', 'token'])).toEqual({ type: 'object', required: ['token'], properties: lowered })
  expect(of(['alias'])).toEqual({ type: 'object', properties: lowered })
})

/** Every example of the document, with its place and its schema. */
function examplesIn(document: Json): readonly (readonly [place: string, schema: Json, example: unknown])[] {
  const operations = [
    ...operationsOf(document),
    ...operationsOf({ paths: document['webhooks'] ?? document['x-webhooks'] }),
  ]
  return operations.flatMap(({ method, path, detail }) => {
    const place = `${method} ${path}`
    const bodies = Object.entries<Json>(detail['responses']).concat([['body', detail['requestBody']]])
    const told = bodies.flatMap(([where, said]) =>
      Object.values<Json>(said?.content ?? {}).flatMap(({ schema, example, examples }) => {
        const values = example === undefined ? Object.values<Json>(examples ?? {}).map(({ value }) => value) : [example]
        // None at all is an example that is missing.
        return (values.length === 0 ? [undefined] : values).map(
          (value) => [`${place} ${where}`, schema, value] as const,
        )
      }),
    )
    const parameters = (detail['parameters'] as readonly Json[]).map(
      ({ name, schema, example }) => [`${place} ${name}`, schema, example ?? schema.example] as const,
    )
    return told.concat(parameters)
  })
}

describe('every operation and webhook', () => {
  const judges = [
    ['3.1', () => newer, () => new Ajv2020({ strict: false, allErrors: true })],
    ['3.0', () => older, () => new Ajv({ strict: false, allErrors: true })],
  ] as const

  test.each(judges)('has an example of each parameter, body and answer, which fits its schema in %s', (_, of, make) => {
    const document = of()
    const ajv = addFormats(make())
    ajv.addSchema({ $id: 'document', components: document['components'] })
    const place = (schema: Json): Json =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))
    const found = examplesIn(document)
    expect(found.length).toBeGreaterThan(200)
    const wrong = found.flatMap(([where, schema, example]) => {
      if (example === undefined) return [`${where} has none`]
      const fits = ajv.compile(place(schema))
      return fits(example) ? [] : [`${where}: ${ajv.errorsText(fits.errors)}`]
    })
    expect(wrong).toEqual([])
  })
})
