import type { AnyElysia } from 'elysia'
import { FAILURE } from '../http/endpoint.ts'
import type { JsonSchema } from '../http/fields.ts'
import { routePurpose } from './routes/route-purposes.ts'

const INTRODUCTION = `
The API of the dashboard, for programs too: with a token of \`bellhop admin token NAME\` as
\`Authorization: Bearer bha_…\`. \`x-token-purpose\` of a call is the least purpose that the token needs. Bodies and answers are JSON. Every failure is \`{"code": …, "message": …}\`, of which the message names the field. What a call has changed
stands in \`GET /api/log\`.
`.trim()

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'InvalidArgument or InvalidContent: the message says which field, and why.',
  401: 'InvalidCredentials: not signed in, and no valid token.',
  403: "ForbiddenError: the token's purpose is too low, the caller is a page of another site, or a session's change lacks the header Origin.",
  404: 'ResourceNotFound: the message says what is not there.',
  409: 'MissingParameter, or ConflictError: it is already taken.',
}

/** Of the document, not the release: anyone may read it. */
const API_VERSION = '1.0.0'

type Route = AnyElysia['routes'][number]

/** Throws for a route below /api without a summary. */
export function adminDocument(routes: readonly Route[]) {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const { path, method, hooks } of routes.filter((route) => route.path.startsWith('/api/'))) {
    const detail: JsonSchema = hooks.detail ?? {}
    if (typeof detail['summary'] !== 'string') throw new Error(`${method} ${path} says nothing of itself.`)
    const operations = (paths[path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')] ??= {})
    for (const one of method === 'ALL' ? ['get', 'put', 'post'] : [method.toLowerCase()]) {
      operations[one] = operationOf(
        path,
        one.toUpperCase(),
        detail,
        hooks.body as { readonly schema?: JsonSchema } | undefined,
      )
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Bellhop admin API', version: API_VERSION, description: INTRODUCTION },
    components: {
      schemas: {},
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-bellhop' },
      },
    },
    security: [{ token: [] }, { session: [] }],
    paths,
  }
}

function operationOf(
  path: string,
  method: string,
  detail: JsonSchema,
  body: { readonly schema?: JsonSchema } | undefined,
): JsonSchema {
  const { 'x-answers-with': answered, parameters, ...rest } = detail
  const { contentType, schema } = answered as { readonly contentType: string; readonly schema: JsonSchema }
  const inPath = [...path.matchAll(/:(\w+)/g), ...path.matchAll(/(\*)$/g)].map(([, name]) => ({
    name: name === '*' ? 'path' : name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    ...rest,
    'x-token-purpose': routePurpose(method, path),
    parameters: [...inPath, ...((parameters as readonly JsonSchema[] | undefined) ?? [])],
    ...(body?.schema && {
      requestBody: { required: true, content: { 'application/json': { schema: body.schema } } },
    }),
    responses: {
      200: { description: 'Done.', content: { [contentType]: contentOf(contentType, schema) } },
      ...Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: FAILURE } } },
        ]),
      ),
    },
  }
}

/** OpenAPI 3.1 cannot describe a stream's events: an extension has the schema of their data. */
function contentOf(contentType: string, schema: JsonSchema): JsonSchema {
  return contentType === 'text/event-stream' ? { schema: { type: 'string' }, 'x-event-data': schema } : { schema }
}
