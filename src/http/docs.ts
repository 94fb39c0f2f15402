import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import swaggerUi from 'swagger-ui-dist/package.json' with { type: 'json' }
import { DAY_MS } from '../clock.ts'
import { SERVED_VERSIONS } from './accept-version.ts'
import { COMPAT_NOTE, compatibleDescription } from './compat.ts'
import { withComponents } from './document/components.ts'
import type { JsonSchema } from './fields.ts'
import { fixedContent } from './fixed-content.ts'
import { inOpenApi30 } from './document/openapi-30.ts'

const INTRODUCTION = `
Push notifications for mobile apps and browsers: a registry of devices, targeting, and delivery to APNs, FCM and the push
services of browsers. How to run it is in
[the manual](/manual).

**Every call** names its application in \`X-SERVICE-APPID\` and a version in \`Accept-Version\` (1.0.0 is served: send \`1\`). What
only a backend may do also needs \`X-SERVICE-SECRET\`. Bodies are JSON objects of at most 256 KiB, sent as \`application/json\`
and not compressed; \`null\` is the same as absent. Unknown fields are ignored by what registers; a push that has one is refused with 400.

**From the app** call \`PUT /deviceToken\` at every launch, with the application ID alone: never put the secret into an app.

**Every failure** is \`{"code": …, "message": …}\`; the message names the field, what is wrong with it and what is allowed.
A missing field is 409 MissingParameter, a wrong one 400 InvalidArgument. Every response carries \`X-Request-Id\`.
\`Content-MD5\` and \`Content-Digest\` (RFC 9530; one \`sha-256\`, one \`sha-512\`) are checked where they are sent.

**Limits.** With the secret 100 calls/s in bursts of 1000, else 10 calls/s in bursts of 100 for each address; 10,000,000 calls
a month for each application, of which calls without the secret may use four fifths; 20 wrong credentials for each address,
one back every 3 s. Of IPv6 a /64 counts as one address, and a /48 may do 16 times as much. An operator can set all but the
last. Tokens have 1 to 4096 bytes; tags, types and aliases 1 to 256 characters of at most 512 bytes; a device 100 tags and 100 types; a rendered
notification 4096 bytes. What calls without the secret may add is bounded too: in number (507) and, beyond a device with ten new
tags or types a call, in pace (429).
`.trim()

const TAGS = [
  {
    name: 'Devices',
    description:
      'The registry. A device is a token on a platform; it may have tags, notification types (`active`), an alias, a location and a badge count.',
  },
  { name: 'Pushes', description: 'To all devices, some or one, now or later; and their results.' },
  { name: 'Analytics', description: 'What was sent, received and opened.' },
  {
    name: 'Webhooks',
    description:
      'What Bellhop sends to your backend, at the URL of `bellhop app webhook`, signed as in Standard Webhooks. Events may arrive twice and out of order.',
  },
]

/** So that browsers can cache the files for good. */
const KEPT = `?${swaggerUi.version}`

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bellhop API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css${KEPT}">
<div id="docs"></div>
<script src="/docs/swagger-ui.js${KEPT}"></script>
<script src="/docs/start.js"></script>
</html>
`

/** Without `validatorUrl: null` Swagger UI may show the document's address to validator.swagger.io. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
})
`

/** Loads nothing from other hosts. Swagger UI sets style attributes, embeds its pictures, and submits no forms. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const YEAR_SECONDS = (365 * DAY_MS) / 1000

const PAGE_HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' }

/** See `createApi`. */
interface Differences {
  readonly compat: boolean
  readonly headerPrefixes: readonly string[]
  readonly webhooks: JsonSchema
}

/** /docs, /openapi.json and /openapi-3.0.json, for the routes of `documented`. */
export function docs(documented: AnyElysia, differences: Differences) {
  const openApi = (make: (document: JsonSchema) => JsonSchema) =>
    fixedContent(async () => new Blob([JSON.stringify(make(await describe(documented, differences)))]), {
      type: 'application/json',
    })
  const asset = (path: string, type: string) =>
    fixedContent(() => Bun.file(path), { type, maxAgeSeconds: YEAR_SECONDS, isImmutable: true })
  const page = fixedContent(() => new Blob([PAGE]), { type: 'text/html; charset=utf-8', headers: PAGE_HEADERS })
  const start = fixedContent(() => new Blob([START]), { type: 'text/javascript' })
  const hidden = { detail: { hide: true } }
  return new Elysia({ name: 'docs' })
    .get(
      '/openapi.json',
      openApi((document) => document),
      hidden,
    )
    .get('/openapi-3.0.json', openApi(inOpenApi30), hidden)
    .get('/docs', page, hidden)
    .get('/docs/start.js', start, hidden)
    .get('/docs/swagger-ui.js', asset(script, 'text/javascript'), hidden)
    .get('/docs/swagger-ui.css', asset(style, 'text/css'), hidden)
}

const CONTACT = { name: 'The operator of this service' }

const LICENSE = { name: 'MIT', identifier: 'MIT' }

interface Described {
  readonly components: { readonly schemas: object }
}

async function describe(documented: AnyElysia, { compat, headerPrefixes, webhooks }: Differences): Promise<JsonSchema> {
  const description = compat ? `${INTRODUCTION}\n\n${COMPAT_NOTE}` : INTRODUCTION
  const also = (header: string) => headerPrefixes.map((name) => ` Also read from X-${name}-${header}.`).join('')
  // Loading it takes 6 ms, which no start should pay.
  const { swagger } = await import('@elysiajs/swagger')
  const copy = new Elysia().use(
    swagger({
      specPath: '/openapi.json',
      documentation: {
        // Relative to the document.
        servers: [{ url: '/' }],
        info: {
          title: 'Bellhop API',
          version: SERVED_VERSIONS.at(-1) ?? '',
          description,
          license: LICENSE,
          contact: CONTACT,
        },
        tags: TAGS,
        components: {
          securitySchemes: {
            appId: {
              type: 'apiKey',
              in: 'header',
              name: 'X-SERVICE-APPID',
              description: `Application ID.${also('APPID')}`,
            },
            secret: {
              type: 'apiKey',
              in: 'header',
              name: 'X-SERVICE-SECRET',
              description: `Application secret.${also('SECRET')}`,
            },
          },
        },
      },
    }),
  )
  for (const { method, path, hooks } of documented.routes) {
    const detail = compat ? compatibleDescription(method, path, hooks.detail) : hooks.detail
    copy.route(method, path, () => null, { detail })
  }
  const response = await copy.handle(new Request('http://localhost/openapi.json'))
  // The plugin writes 3.0.3; webhooks, null and the licence's SPDX identifier need 3.1.
  const made = { ...((await response.json()) as Described), openapi: '3.1.0', webhooks }
  return withComponents(made)
}
