import { expect, test } from 'bun:test'
import { shownBy } from '../../../src/gateway/simulator/http2/received.ts'

test('the push that an app would report is read from what goes along, beside aps or as text in data', () => {
  const bellhop = { push: '019a9f7e-3c1b-7000-8000-000000000000' }
  expect(shownBy('apns', { aps: {}, bellhop }).push).toBe(bellhop.push)
  expect(shownBy('fcm', { message: { data: { bellhop: JSON.stringify(bellhop) } } }).push).toBe(bellhop.push)
})

test('what a sender has put under that key is no push', () => {
  expect(shownBy('apns', { aps: {}, bellhop: 'ours' }).push).toBeNull()
  for (const text of ['ours', '7', 'null', '{"push":7}']) {
    expect(shownBy('fcm', { message: { data: { bellhop: text } } }).push).toBeNull()
  }
  expect(shownBy('fcm', { message: {} }).push).toBeNull()
})
