import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { markdown } from './markdown-files.ts'

const FAILURES = join(import.meta.dir, '../../src/http/failures.ts')

test('the page of error codes has every code with its status, and no other', async () => {
  const source = await Bun.file(FAILURES).text()
  const [, table = ''] = /const STATUS = \{\n(.*?)\n\}/s.exec(source) ?? []
  const answered = Array.from(table.matchAll(/^ {2}(\w+): (\d{3}),$/gm), ([, code, status]) => `${code} ${status}`)
  expect(answered.length).toBe(table.split('\n').length)

  const rows = markdown('src/manual/errors.md').matchAll(/^\| `(\w+)` +\| (\d{3}) /gm)
  const documented = Array.from(rows, ([, code, status]) => `${code} ${status}`)
  expect(documented.toSorted()).toEqual(answered.toSorted())
})
