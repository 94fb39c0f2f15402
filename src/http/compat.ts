import { Elysia, ElysiaCustomStatusResponse } from 'elysia'
import type { AnyElysia } from 'elysia'
import type { Given, JsonSchema } from './fields.ts'

/*
 * What `--compat` changes for all endpoints (test/api/features/compat.test.ts). See also `admission.ts`
 * (Accept-Version), `device/compat/compat-routes.ts` and `device/index/alias-index.ts`.
 */

/** Endpoints of the original service, whose clients may take any body, even with 200, for a failure. */
const SILENT: ReadonlySet<string> = new Set([
  'PUT /deviceToken',
  'PUT /deviceToken/batch',
  'PUT /deviceToken/del',
  'PUT /alias',
  'PUT /tag',
  'PUT /tag/del',
  'PUT /geo',
  'PUT /badge',
  'PUT /stats',
  'POST /push/all',
  'POST /push/one',
  'PUT /register',
  'PUT /activate',
  'PUT /deactivate',
  'PUT /alias/del',
])

/** Required fields that here default to `""`. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  'POST /push/all': ['sound', 'badge'],
  'POST /push/one': ['sound', 'badge'],
  'POST /push/preview': ['sound', 'badge'],
}

const SECOND_NAMES = [
  { method: 'PUT', path: '/deviceToken', also: '/register' },
  { method: 'GET', path: '/deviceToken/all', also: '/devices' },
] as const

export const COMPAT_NOTE = `
**This service runs with \`--compat\`**, for clients of the original service. \`Accept-Version\` may be left out; writes and
pushes answer with an empty body; digits are read for a string, and an array of one for a scalar; an alias that another
device has moves, and no call that names a device by its alias needs the secret; what a push does not know is ignored,
but \`token\`, \`tokens\` and \`schedule\` are known, and \`geo\` is refused; a device record has \`platform\` as a number,
and \`tags\` beside \`tag\`.
`.trim()

export function compatible(plugins: readonly AnyElysia[]): AnyElysia {
  const bodies = new Map<string, Readonly<Record<string, JsonSchema>>>()
  const contract = new Elysia({ name: 'contract' })
    .onTransform((context) => {
      const endpoint = `${context.request.method} ${context.route}`
      const properties = bodies.get(endpoint)
      if (properties === undefined) return
      const left = (OPTIONAL[endpoint] ?? []).map((name) => [name, ''] as const)
      context.body = { ...Object.fromEntries(left), ...coerced(present(context.body as Given), properties) }
    })
    .mapResponse(({ responseValue, request, route, set }) => {
      const status = statusOf(responseValue) ?? Number(set.status ?? 200)
      const silent = status >= 200 && status < 300 && SILENT.has(`${request.method} ${route}`)
      if (!silent) return undefined
      delete set.headers['content-type']
      return new Response(null, { status })
    })
  for (const plugin of plugins) contract.use(plugin)
  for (const { method, path, also } of SECOND_NAMES) {
    const route = contract.routes.find((one) => one.method === method && one.path === path)
    if (route === undefined) continue
    const { handler, hooks } = route
    const detail = { ...hooks.detail, description: `The same as ${method} ${path}.` }
    contract.route(method, also, handler, { ...hooks, detail })
  }
  for (const { method, path, hooks } of contract.routes) {
    const { schema } = (hooks.body ?? {}) as { readonly schema?: { readonly properties: Record<string, JsonSchema> } }
    if (schema !== undefined) bodies.set(`${method} ${path}`, schema.properties)
  }
  return contract
}

function statusOf(answer: unknown): number | null {
  if (answer instanceof Response) return answer.status
  return answer instanceof ElysiaCustomStatusResponse ? Number(answer.code) : null
}

function present(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}

interface Operation {
  readonly description?: string
  readonly parameters?: readonly JsonSchema[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: unknown }>>
}

export function compatibleDescription<Described extends Operation>(
  method: string,
  path: string,
  operation: Described,
): Described {
  const endpoint = `${method} ${path}`
  const left = OPTIONAL[endpoint] ?? []
  const json = operation.requestBody?.content['application/json']
  const required = (json?.schema['required'] as readonly string[] | undefined)?.filter((name) => !left.includes(name))
  return {
    ...operation,
    ...(left.length > 0 && {
      description: `${operation.description ?? ''} Here ${left.join(' and ')} may be left out.`.trim(),
    }),
    parameters: operation.parameters?.map((one) =>
      one['name'] === 'Accept-Version' ? { ...one, required: false } : one,
    ),
    ...(json !== undefined && {
      requestBody: {
        ...operation.requestBody,
        content: { 'application/json': { ...json, schema: { ...json.schema, ...(required && { required }) } } },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, { description, content }]) => {
        const silent = status.startsWith('2') && SILENT.has(endpoint)
        return [status, silent ? { description: `${description} The body is empty.` } : { description, content }]
      }),
    ),
  }
}

/**
 * Converts a body to the fields' schemas if the meaning is clear: 17 to "17", a scalar from an array of one. Drops
 * empty labels. The fields judge the rest.
 */
export function coerced(given: Given, properties: Readonly<Record<string, JsonSchema>>): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, schema === undefined ? value : coercedValue(LABEL_FIELDS.has(name) ? named(value) : value, schema)]
    }),
  )
}

const LABEL_FIELDS: ReadonlySet<string> = new Set(['tag', 'tags', 'except_tags', 'active', 'except_active'])

/** If all are empty they stay, to be refused: an empty filter must not mean no filter. */
function named(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const names = value.filter((name) => name !== '')
  return names.length > 0 ? names : value
}

function coercedValue(value: unknown, schema: JsonSchema): unknown {
  if (!Array.isArray(value)) return asText(value, itemsOf(schema))
  const items = value.map((item: unknown) => asText(item, itemsOf(schema)))
  return isScalar(schema) && items.length === 1 ? items[0] : items
}

function isScalar({ type, oneOf }: JsonSchema): boolean {
  return SCALARS.has(type) || (Array.isArray(oneOf) && (oneOf as readonly JsonSchema[]).every(isScalar))
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean'])

function itemsOf(schema: JsonSchema): JsonSchema {
  return (schema['items'] as JsonSchema | undefined) ?? schema
}

/** Not for negative numbers: a wrong badge would become a decrement. Beyond 2^53 an alias would lose digits. */
function asText(value: unknown, { type }: JsonSchema): unknown {
  if (type !== 'string' || typeof value !== 'number') return value
  const text = String(value)
  return value <= Number.MAX_SAFE_INTEGER && /^\d+(\.\d+)?$/.test(text) ? text : value
}
