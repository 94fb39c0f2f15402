import { afterAll, beforeAll, expect, test } from 'bun:test'
import { brunoCollection } from '../../scripts/bruno/collection.ts'
import { operationsOf } from '../support/openapi.ts'
import type { Json } from '../support/openapi.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
let document: Json
let files: ReadonlyMap<string, string>
beforeAll(async () => {
  service = await startService()
  document = (await service.get('/openapi.json')).body
  files = brunoCollection(document)
})
afterAll(() => service[Symbol.asyncDispose]())

const requests = () => [...files].filter(([path]) => /^[A-Z].*\.bru$/.test(path))

/** Bruno ends a block at a brace that begins a line. */
function blockOf(text: string, name: string): readonly string[] {
  const [, inner] = new RegExp(`^${name} \\{\\n(.*?)^\\}`, 'ms').exec(text) ?? []
  return inner?.split('\n').slice(0, -1) ?? []
}

/** Bruno does not send lines with `~`. */
const valuesOf = (text: string, name: string) =>
  blockOf(text, name)
    .map((line) => /^ {2}([^~:]+): (.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const]))

test('has a request for each operation, and an environment in which the secret is one', () => {
  expect(requests()).toHaveLength(operationsOf(document).length)
  expect(files.get('environments/Server.bru')).toMatch(/^vars:secret \[\n {2}secret\n\]$/m)
  expect(JSON.parse(files.get('bruno.json') ?? '')).toEqual({ version: '1', name: 'Bellhop API', type: 'collection' })
})

async function send(text: string, push: string): Promise<number> {
  const { id, secret } = service.application
  const method = ['get', 'put', 'post', 'delete'].find((one) => blockOf(text, one).length > 0) ?? ''
  const url = new Map(valuesOf(text, method)).get('url') ?? ''
  const body = blockOf(text, 'body:json').join('\n')
  const headers = valuesOf(text, 'headers').map(([name, value]) => [
    name,
    value.replace('{{appId}}', id).replace('{{secret}}', secret),
  ])
  const answer = await fetch(url.replace('{{baseUrl}}', service.url).replace(':id', push), {
    method: method.toUpperCase(),
    headers: { ...Object.fromEntries(headers), ...(body !== '' && { 'content-type': 'application/json' }) },
    ...(body !== '' && { body }),
  })
  await answer.arrayBuffer()
  return answer.status
}

test('has requests that a server takes as they are, for the device of the first', async () => {
  const [[, registration] = ['', '']] = requests()
  expect(registration).toContain('{{baseUrl}}/deviceToken\n')
  for (const [path, text] of requests()) {
    await send(registration, '')
    // Calls about pushes that phones show need a sent one; all others get a waiting one.
    const later = path.endsWith('ByIdShown.bru') ? {} : { send_at: 3600 }
    const push = (await service.post('/push/all', { tags: ['beta'], msg: 'Hello', ...later })).body.id
    const status = await send(text, push)
    expect({ path, status, isTaken: status < 300 }).toEqual({ path, status, isTaken: true })
  }
})
