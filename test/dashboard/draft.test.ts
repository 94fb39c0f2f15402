import { expect, test } from 'bun:test'
import { hasContent, pushBody, pushPath } from '../../src/dashboard/client/draft.ts'

test('a draft is a push to everybody with what the API cannot do without', () => {
  const body = pushBody({ msg: 'Hello' })
  expect(body).toEqual({ msg: 'Hello', sound: 'default', badge: '', platform: ['0', '1'] })
  expect(pushPath(body)).toBe('/push/all')
})

test('lists, numbers, switches and JSON are sent as what they are, and what is empty is not', () => {
  const body = pushBody({
    msg: 'Hello',
    sound: '',
    tags: ' beta, vip ,',
    title: ' ',
    ttl: '60',
    mutable: 'true',
    where: '{"tag": "x"}',
    platform: '1',
  })
  expect(body).toEqual({
    msg: 'Hello',
    sound: '',
    badge: '',
    tags: ['beta', 'vip'],
    ttl: 60,
    mutable: true,
    where: { tag: 'x' },
    platform: ['1'],
  })
})

test('a silent push takes nothing along of what would show', () => {
  const body = pushBody({ msg: 'Hello', title: 'Hi', languages: '{}', silent: 'true', payload: '{"order": 17}' })
  expect(body).toEqual({ silent: true, payload: { order: 17 }, platform: ['0', '1'] })
})

test('a token makes it a push to one', () => {
  const body = pushBody({ msg: 'Hello', token: 'abc' })
  expect(pushPath(body)).toBe('/push/one')
  expect(body['platform']).toBeUndefined()
})

test('what is no JSON yet is named', () => {
  expect(() => pushBody({ payload: '{"order"' })).toThrow('payload is no JSON yet.')
})

test('there is something to send once there is a message, a title, or that nothing shows', () => {
  expect([{ msg: 'Hello' }, { title: 'Hi' }, { silent: 'true' }].map(hasContent)).toEqual([true, true, true])
  expect([{}, { msg: ' ', title: '' }, { silent: 'false', tags: 'vip' }].map(hasContent)).toEqual([false, false, false])
})
