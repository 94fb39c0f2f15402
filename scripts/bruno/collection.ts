/* A Bruno collection from the OpenAPI document: a file for each operation, with its example. */

type Json = Readonly<Record<string, any>>

/** Variables to fill in; Bruno keeps `secret` out of the files. */
const ENVIRONMENT = `vars {
  baseUrl: http://127.0.0.1:8790
  appId: app_…
}
vars:secret [
  secret
]
`

/** Files by path. */
export function brunoCollection(document: Json): ReadonlyMap<string, string> {
  const files = new Map([
    ['bruno.json', `${JSON.stringify({ version: '1', name: document['info'].title, type: 'collection' }, null, 2)}\n`],
    ['environments/Server.bru', ENVIRONMENT],
  ])
  const operations = Object.entries<Json>(document['paths']).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, detail]) => ({ method, path, detail })),
  )
  for (const [at, { method, path, detail }] of operations.entries()) {
    files.set(`${detail['tags'][0]}/${detail['operationId']}.bru`, requestFile(at + 1, method, path, detail))
  }
  return files
}

function requestFile(seq: number, method: string, path: string, detail: Json): string {
  const parameters = detail['parameters'] as readonly Json[]
  const lines = (where: string) =>
    parameters
      .filter((one) => one['in'] === where)
      // Optional ones are present, but disabled.
      .map(({ name, required, example, schema }) => `${required ? '' : '~'}${name}: ${example ?? schema.example}`)
  const secret = 'secret' in detail['security'][0] ? ['X-SERVICE-SECRET: {{secret}}'] : []
  const examples = detail['requestBody']?.content['application/json']
  const body = examples?.example ?? Object.values<Json>(examples?.examples ?? {})[0]?.['value']
  const query = lines('query')
  const url = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
  return [
    block('meta', [`name: ${detail['summary']}`, 'type: http', `seq: ${seq}`]),
    block(method, [`url: ${url}`, `body: ${body === undefined ? 'none' : 'json'}`, 'auth: none']),
    block('params:query', query),
    block('params:path', lines('path')),
    block('headers', ['X-SERVICE-APPID: {{appId}}', ...secret, ...lines('header')]),
    block('body:json', body === undefined ? [] : JSON.stringify(body, null, 2).split('\n')),
    block(
      'docs',
      (detail['description'] ?? '').split('\n').filter((line: string) => line !== ''),
    ),
  ]
    .filter((text) => text !== null)
    .join('\n')
}

function block(name: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : `${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
}
