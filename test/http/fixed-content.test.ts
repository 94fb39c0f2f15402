import { expect, test } from 'bun:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { fixedContent } from '../../src/http/fixed-content.ts'

const TEXT = 'a text, and the same again: '.repeat(100)

const ask = (handler: ReturnType<typeof fixedContent>, headers: Record<string, string>) =>
  handler({ request: new Request('http://localhost/', { headers }) })

test.each([
  ['plain', () => new Blob([TEXT])],
  ['compressed already', () => new Blob([gzipSync(TEXT)])],
])('what is %s goes out compressed to whom takes that, and plain to others', async (_, make) => {
  let made = 0
  const handler = fixedContent(() => (made++, make()), { type: 'text/plain' })
  for (let time = 0; time < 2; time++) {
    const zipped = await ask(handler, { 'accept-encoding': 'gzip' })
    expect(gunzipSync(await zipped.bytes()).toString()).toBe(TEXT)
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    const plain = await ask(handler, {})
    expect([await plain.text(), plain.headers.get('content-encoding')]).toEqual([TEXT, null])
    expect(plain.headers.get('etag')).toBe(zipped.headers.get('etag'))
  }
  expect(made).toBe(1)
})
