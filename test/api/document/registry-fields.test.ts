import { expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import type { Json } from '../../support/openapi.ts'

const service = await fileService()
const document: Json = (await service.get('/openapi.json')).body

const fieldOf = (path: string, method: string, field: string): Json => {
  const { schema } = document['paths'][path][method].requestBody.content['application/json']
  const resolved = '$ref' in schema ? document['components'].schemas[schema.$ref.split('/').at(-1)] : schema
  return resolved.properties[field]
}

test('the document says whom to ask', () => {
  expect(document['info'].contact).toEqual({ name: 'The operator of this service' })
})

test('a batch is offered the platforms that it takes, and no other', () => {
  expect(fieldOf('/deviceToken/batch', 'put', 'platform').enum).toEqual(['0', '1'])
  expect(fieldOf('/deviceToken', 'put', 'platform').enum).toEqual(['0', '1', '2'])
})

test.each(['/geo', '/badge'])('PUT %s is described', (path) => {
  expect(document['paths'][path].put.description.length).toBeGreaterThan(40)
})

test.each<
  [name: string, path: string, method: string, field: string, fitting: readonly string[], not: readonly string[]]
>([
  ['a token', '/deviceToken', 'put', 'token', ['abc', 'a:b/c', 'ü'], ['', 'a b', 'a\n', 'a\u0000', 'a\u0085']],
  ['a badge', '/push/all', 'post', 'badge', ['', '7', '+1', '-12'], ['x', '++1', '1.5', '12345678901']],
  ['a link', '/push/all', 'post', 'link', ['https://a.example/b', 'shop:orders/17'], ['a.example', '//a', 'shop: 1']],
])('the pattern of %s fits what is taken, and not what is refused', (_name, path, method, field, fitting, not) => {
  const pattern = new RegExp(fieldOf(path, method, field).pattern)
  expect([...fitting, ...not].filter((text) => pattern.test(text))).toEqual([...fitting])
})
