import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ANSWERS } from '../../src/gateway/webpush/answer-table.ts'
import type { WebPushMeaning } from '../../src/gateway/webpush/answer-table.ts'

/** The manual's words for a meaning: the fault, and what Bellhop does. */
const WORDS: Readonly<Record<WebPushMeaning, readonly [fault: string, follows: string]>> = {
  taken: ['', 'sent'],
  gone: ['browser', 'unregistered'],
  mismatch: ['browser or key', 'set aside until the key changes'],
  device: ['browser', 'tried again'],
  either: ['browser or push service', 'tried again; ten browsers and none taken: it pauses'],
  strain: ['push service', 'tried again, fewer at a time'],
  credential: ['key', 'tried again; ten browsers and none taken: web push pauses'],
  push: ['push', 'fails for this browser; 100 browsers and none taken: for all'],
  failed: ['push', 'fails for this browser alone'],
}

const PAGE = join(import.meta.dir, '../../src/manual/webpush.md')

test('the manual shows the whole table of answers of push services, in its order', async () => {
  const text = await Bun.file(PAGE).text()
  const [, section = ''] = text.split('## What push services answer\n')
  const table =
    section
      .split('\n## ')[0]
      ?.match(/^\|.*\|$/gm)
      ?.slice(2) ?? []
  const shown = table.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
  const expected = ANSWERS.map(({ by, on, known, means, source }) => {
    const [fault, follows] = WORDS[means]
    return [by, on, known, fault, follows, source]
  })
  expect(shown).toEqual(expected)
})
