/** JSON as it is read, unchecked: the tests are what checks it. */
export type Json = Readonly<Record<string, any>>

export interface Operation {
  /** `PUT`. */
  readonly method: string
  readonly path: string
  /** OpenAPI's Operation Object. */
  readonly detail: Json
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])
const SCHEMA_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

/** The fields of each object of OpenAPI 3.1.0, by the names of its chapters; only what we may use of them. */
const FIELDS = {
  document: 'openapi info servers paths webhooks components security tags externalDocs',
  info: 'title description termsOfService contact license version',
  components: 'schemas responses parameters examples requestBodies headers securitySchemes links callbacks',
  operation:
    'tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers',
  parameter: 'name in description required deprecated allowEmptyValue style explode allowReserved schema example',
  requestBody: 'description content required',
  response: 'description headers content links',
  mediaType: 'schema example examples encoding',
  schema:
    'title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required enum type allOf oneOf anyOf not items properties additionalProperties description format default const examples discriminator readOnly writeOnly xml externalDocs example deprecated',
} as const

export function operationsOf(document: Json): Operation[] {
  return Object.entries<Json>(document['paths']).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, detail]) => ({ method: method.toUpperCase(), path, detail })),
  )
}

function webhooksOf(document: Json): Operation[] {
  return operationsOf({ paths: document['webhooks'] ?? {} })
}

/** What of a document is not OpenAPI 3.1.0, each with its place. */
export function faultsOf(document: Json): string[] {
  const faults: string[] = []
  const expect = (holds: boolean, at: string, fault: string) => void (holds || faults.push(`${at}: ${fault}`))
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const check = (kind: keyof typeof FIELDS, value: Json, at: string) => {
    const known = FIELDS[kind].split(' ')
    // "MUST begin with x-": an extension (OpenAPI 3.1.0, 4.9).
    const fields = Object.keys(value).filter((name) => !name.startsWith('x-'))
    for (const name of fields) expect(known.includes(name), at, `no field ${name} in a ${kind}`)
  }

  check('document', document, 'document')
  expect(document['openapi'] === '3.1.0', 'document', `openapi is ${document['openapi']}`)
  check('info', document['info'], 'info')
  expect(isText(document['info']['title']) && isText(document['info']['version']), 'info', 'no title or version')
  check('components', document['components'] ?? {}, 'components')
  for (const [name, schema] of Object.entries<Json>(document['components']['schemas'])) checkSchema(schema, name)
  for (const [name, scheme] of Object.entries<Json>(document['components']['securitySchemes'])) {
    const isHeader = scheme['type'] === 'apiKey' && scheme['in'] === 'header' && isText(scheme['name'])
    expect(isHeader, name, 'not an apiKey in a header')
  }
  for (const [path, item] of Object.entries<Json>(document['paths'])) {
    expect(path.startsWith('/'), path, 'does not begin with a slash')
    for (const method of Object.keys(item)) expect(METHODS.has(method), path, `no method ${method}`)
  }
  const operations = [...operationsOf(document), ...webhooksOf(document)]
  for (const { method, path, detail } of operations) checkOperation(detail, `${method} ${path}`)
  const ids = operations.map(({ detail }) => detail['operationId'])
  expect(ids.every(isText) && new Set(ids).size === ids.length, 'operations', 'without an operationId of their own')
  for (const [at, ref] of refsOf(document, '#'))
    expect(resolve(document, ref) !== undefined, at, `${ref} leads nowhere`)
  return faults

  function checkOperation(operation: Json, at: string): void {
    check('operation', operation, at)
    const tags = new Set(document['tags'].map(({ name }: Json) => name))
    for (const tag of operation['tags']) expect(tags.has(tag), at, `tag ${tag} is not declared`)
    for (const name of operation['security'].flatMap((way: Json) => Object.keys(way))) {
      expect(name in document['components']['securitySchemes'], at, `security scheme ${name} is not declared`)
    }
    const names = new Set<string>()
    for (const parameter of operation['parameters'] ?? []) {
      const name = `${parameter['in']} ${String(parameter['name']).toLowerCase()}`
      check('parameter', parameter, `${at} ${name}`)
      expect(/^(query|header|path|cookie) ./.test(name), at, `parameter in ${name}`)
      expect(!/^header (accept|content-type|authorization)$/.test(name), at, `${name} is ignored by readers`)
      expect(!names.has(name), at, `${name} twice`)
      names.add(name)
      checkSchema(parameter['schema'], `${at} ${name}`)
    }
    if (operation['requestBody'] !== undefined) {
      check('requestBody', operation['requestBody'], at)
      checkContent(operation['requestBody']['content'], `${at} body`)
    }
    for (const [status, response] of Object.entries<Json>(operation['responses'])) {
      expect(/^[1-5](\d\d|XX)$/.test(status), at, `response ${status}`)
      check('response', response, `${at} ${status}`)
      expect(isText(response['description']), `${at} ${status}`, 'no description')
      // An answer without a body has none.
      if (response['content'] !== undefined) checkContent(response['content'], `${at} ${status}`)
    }
  }

  function checkContent(content: Json, at: string): void {
    for (const [type, media] of Object.entries<Json>(content)) {
      expect(type === 'application/json', at, `content ${type}`)
      check('mediaType', media, at)
      expect(media['schema'] !== undefined, at, 'no schema')
      if (media['schema'] === undefined) continue
      checkSchema(media['schema'], at)
      const examples = Object.values<Json>(media['examples'] ?? {}).map(({ value }) => value)
      for (const example of [...('example' in media ? [media['example']] : []), ...examples]) {
        for (const misfit of misfits(document, media['schema'], example)) faults.push(`${at}: example: ${misfit}`)
      }
    }
  }

  function checkSchema(schema: Json, at: string): void {
    if ('$ref' in schema) {
      const others = Object.keys(schema).filter((key) => key !== '$ref' && key !== 'description')
      return expect(others.length === 0, at, `$ref with ${others.join(', ')}`)
    }
    check('schema', schema, at)
    const variants: readonly Json[] | undefined = schema['oneOf'] ?? schema['anyOf']
    if (variants !== undefined) {
      for (const [n, variant] of variants.entries()) checkSchema(variant, `${at}|${n}`)
      return expect(!('type' in schema), at, 'a type beside variants')
    }
    const types = typesOf(schema)
    expect(
      types.every((type) => SCHEMA_TYPES.has(type)),
      at,
      `type ${schema['type']}`,
    )
    expect(types.includes('array') === 'items' in schema, at, 'items belong to an array, and an array has them')
    if (schema['items']) checkSchema(schema['items'], `${at}[]`)
    const more: unknown = schema['additionalProperties']
    if (typeof more === 'object') checkSchema(more as Json, `${at}.*`)
    const properties: Json = schema['properties'] ?? {}
    for (const [name, property] of Object.entries<Json>(properties)) checkSchema(property, `${at}.${name}`)
    const required: readonly string[] | undefined = schema['required']
    expect(required?.length !== 0, at, 'an empty list of required fields')
    for (const name of required ?? []) expect(name in properties, at, `required ${name} is not described`)
  }
}

function typesOf(schema: Json): string[] {
  return [schema['type']].flat()
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
}

/** Why a value does not fit a schema; empty where it does. Knows the keywords that our schemas use. */
export function misfits(document: Json, schema: Json, value: any, at = 'value'): string[] {
  if ('$ref' in schema) return misfits(document, resolve(document, schema['$ref']) ?? {}, value, at)
  const variants: readonly Json[] | undefined = schema['oneOf'] ?? schema['anyOf']
  if (variants !== undefined) {
    const tries = variants.map((variant) => misfits(document, variant, value, at))
    const fitting = tries.filter((found) => found.length === 0).length
    if (fitting === 1 || (fitting > 1 && 'anyOf' in schema)) return []
    return [`${at}: fits ${fitting} of its variants`, ...tries.flat()]
  }
  // Whatever it is.
  if (!('type' in schema)) return []
  const found: string[] = []
  const expect = (holds: boolean, keyword: string) => void (holds || found.push(`${at}: ${keyword}`))
  const type = kindOf(value)
  const types = typesOf(schema)
  expect(types.includes(type) || (type === 'integer' && types.includes('number')), `is of type ${type}`)
  if (schema['enum']) expect(schema['enum'].includes(value), 'enum')
  const format = FORMATS[schema['format']]
  if (format !== undefined && type === 'string') expect(format.test(value), schema['format'])
  if (type === 'string') expectWithin(value.length, 'Length')
  else if (type === 'array') expectWithin(value.length, 'Items')
  else if (type === 'object') expectWithin(Object.keys(value).length, 'Properties')
  else if (typeof value === 'number') expectWithin(value, 'imum')
  function expectWithin(amount: number, keyword: 'Length' | 'Items' | 'Properties' | 'imum'): void {
    expect(amount >= (schema[`min${keyword}`] ?? amount) && amount <= (schema[`max${keyword}`] ?? amount), keyword)
  }
  if (type === 'array')
    for (const item of value) found.push(...misfits(document, schema['items'] ?? {}, item, `${at}[]`))
  if (type !== 'object') return found
  for (const name of schema['required'] ?? []) expect(name in value, `${name} is missing`)
  const more: unknown = schema['additionalProperties']
  for (const [name, inner] of Object.entries(value)) {
    const property = schema['properties']?.[name] ?? (typeof more === 'object' ? more : undefined)
    if (property) found.push(...misfits(document, property, inner, `${at}.${name}`))
    else expect(more === true, `${name} is not described`)
  }
  return found
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function refsOf(value: unknown, at: string): [at: string, ref: string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]): [string, string][] =>
    key === '$ref' ? [[at, String(inner)]] : refsOf(inner, `${at}/${key}`),
  )
}

function resolve(document: Json, ref: string): Json | undefined {
  if (!ref.startsWith('#/')) return undefined
  return ref
    .slice(2)
    .split('/')
    .reduce<Json | undefined>((found, key) => found?.[key], document)
}
