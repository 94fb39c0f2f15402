import { expect, test } from 'bun:test'
import { findPage } from '../../src/manual/pages.ts'
import { REALITY } from '../gateway/reality/rows.ts'

test('the page on what gateways really answer has each row of the reality suite as it is, and no other', () => {
  const lines = (findPage('reality')?.text ?? '').split('\n').filter((line) => line.startsWith('|'))
  const shown = lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const orderOf = ([platform, order]: (typeof REALITY)[number]['order']) =>
    order === '' || order.endsWith('/') ? '' : `\`${platform === '0' ? `bad${order}` : order}\``
  expect(shown).toEqual(
    REALITY.map(({ gateway, trigger, answer, done, order }) => [gateway, trigger, answer, done, orderOf(order)]),
  )
})
