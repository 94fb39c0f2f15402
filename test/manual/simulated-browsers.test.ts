import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { OLDER, SMALLER, WEBPUSH_REFUSALS } from '../../src/gateway/simulator/webpush/webpush-answer.ts'

const PAGE = join(import.meta.dir, '../../src/manual/simulator.md')

test('the manual has each word by which an endpoint of the simulator orders an answer, and no other', async () => {
  const [, browsers = ''] = (await Bun.file(PAGE).text()).split('## Browsers\n')
  const cells = browsers.match(/^\| (`[^|]*)\|/gm) ?? []
  const words = cells.flatMap((cell) => Array.from(cell.matchAll(/`([a-z]+)`/g), ([, word = '']) => word))
  expect(words.toSorted()).toEqual([...WEBPUSH_REFUSALS, ...SMALLER.keys(), OLDER].toSorted())
})
