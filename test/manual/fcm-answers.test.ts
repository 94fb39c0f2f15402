import { expect, test } from 'bun:test'
import { FCM_ANSWERS } from '../../src/gateway/fcm/answers.ts'
import { findPage } from '../../src/manual/pages.ts'

test('the page on FCM has the table of answers as it is', () => {
  const [, ...lines] = (findPage('fcm')?.text ?? '').split('\n').filter((line) => line.startsWith('|'))
  const shown = lines.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  expect(shown).toEqual(FCM_ANSWERS.map(({ http, says, blames, done, source }) => [http, says, blames, done, source]))
})
