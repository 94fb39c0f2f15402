import { expect, test } from 'bun:test'
import { shownBy } from '../../../src/gateway/simulator/received.ts'

test('the push that an app would report is read from what goes along, beside aps or as text in data', () => {
  const bellhop = { push: '019a9f7e-3c1b-7000-8000-000000000000' }
  expect(shownBy('apns', { aps: {}, bellhop }).push).toBe(bellhop.push)
  expect(shownBy('fcm', { message: { data: { bellhop: JSON.stringify(bellhop) } } }).push).toBe(bellhop.push)
})

test('the push that an app would remove from the screen is read in the same places', () => {
  const bellhop = { withdrawn: '019a9f7e-3c1b-7000-8000-000000000000', tag: 'order-17' }
  const found = { push: null, withdraws: bellhop.withdrawn, title: null, text: null }
  expect(shownBy('apns', { aps: { 'content-available': 1 }, bellhop })).toMatchObject(found)
  expect(shownBy('fcm', { message: { data: { bellhop: JSON.stringify(bellhop) } } })).toMatchObject(found)
  expect(shownBy('webpush', { data: { bellhop } })).toMatchObject(found)
})

test('what a sender has put under that key is no push', () => {
  expect(shownBy('apns', { aps: {}, bellhop: 'ours' }).push).toBeNull()
  for (const text of ['ours', '7', 'null', '{"push":7}']) {
    expect(shownBy('fcm', { message: { data: { bellhop: text } } }).push).toBeNull()
  }
  expect(shownBy('fcm', { message: {} }).push).toBeNull()
})

test('of what goes through FCM to an iPhone, what Apple shows of it', () => {
  const bellhop = { push: '019a9f7e-3c1b-7000-8000-000000000000' }
  const aps = { alert: { title: 'Oven', body: 'Fresh bread' }, badge: 3, category: 'order' }
  const message = { data: { bellhop: JSON.stringify(bellhop) }, apns: { payload: { aps } } }
  expect(shownBy('fcm', { message })).toEqual({
    push: bellhop.push,
    withdraws: null,
    title: 'Oven',
    subtitle: null,
    text: 'Fresh bread',
    badge: 3,
    category: 'order',
    hasImage: false,
  })
})

test('what is beside the text: the line below the title and the buttons of iOS, and whether there is a picture', () => {
  const image = 'https://shop.example/bread.png'
  const aps = { alert: { title: 'Oven', subtitle: 'At nine', body: 'Fresh bread' }, badge: 3, category: 'order' }
  expect(shownBy('apns', { aps, image })).toEqual({
    push: null,
    withdraws: null,
    title: 'Oven',
    subtitle: 'At nine',
    text: 'Fresh bread',
    badge: 3,
    category: 'order',
    hasImage: true,
  })
  const nothing = { push: null, withdraws: null, title: null, subtitle: null, badge: null, category: null }
  expect(shownBy('apns', { aps: { alert: 'Hi' }, image: 7 })).toEqual({ ...nothing, text: 'Hi', hasImage: false })
  for (const shown of [{ notification: { image } }, { android: { notification: { image } } }]) {
    expect(shownBy('fcm', { message: shown })).toEqual({ ...nothing, text: null, hasImage: true })
  }
  expect(shownBy('fcm', { message: { notification: { title: '', body: 'Hi' } } }).hasImage).toBe(false)
})
