import { expect, test } from 'bun:test'
import { isVapidSubject } from '../../src/application/vapid.ts'
import { contactAt } from '../../src/dashboard/client/vapid-contact.ts'

test('the contact that the dashboard proposes is where the API is at a public name, else a placeholder', () => {
  expect(contactAt('https://push.shop.example')).toBe('https://push.shop.example')
  expect(contactAt('https://push.shop.example:8443/')).toBe('https://push.shop.example:8443')
  for (const url of [
    'http://push.shop.example',
    'https://localhost:8790',
    'https://bellhop',
    'https://bellhop.local',
    'https://push.internal',
    'https://push.test',
    'https://push.invalid',
    'https://10.0.0.7',
    'https://[::1]:8790',
    'https://push.local.',
  ]) {
    expect(contactAt(url)).toBe('mailto:you@example.com')
  }
})

test('the contact is one that the server stores, whatever the address', () => {
  for (const host of [
    'push.shop.example',
    'localhost',
    'bellhop',
    'a.local',
    '10.0.0.7',
    '[::1]',
    'a.internal.',
    '1.2',
  ]) {
    expect(isVapidSubject(contactAt(`https://${host}`))).toBe(true)
  }
})
