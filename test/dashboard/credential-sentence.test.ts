import { expect, test } from 'bun:test'
import { credentialSentence } from '../../src/dashboard/components/credential/credential-sentence.ts'

const NOW = Date.parse('2026-11-26T12:00:00Z')
const KEY = {
  createdAt: '2026-11-01T00:00:00Z',
  provider: 'apns',
  kind: 'key',
  topic: 'com.example.shop',
  environment: 'auto',
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
} as const
const READY = { state: 'ready', reason: null } as const

test('a credential is one sentence that says whether it works, what it is and when that was checked', () => {
  const check = { at: NOW - 3 * 60_000, outcome: 'works' as const }
  const sentence = (known: Partial<Parameters<typeof credentialSentence>[0]>): string =>
    credentialSentence({ credential: KEY, state: READY, check, now: NOW, ...known })
  expect(sentence({})).toBe(
    'Works: key ABC123DEFG for com.example.shop, production and sandbox. Checked 3 minutes ago.',
  )
  expect(sentence({ check: null })).toBe(
    'Stored: key ABC123DEFG for com.example.shop, production and sandbox. Not checked since you opened this page.',
  )
  expect(sentence({ check: { at: NOW, outcome: 'refused' } })).toMatch(/^Refused: key .* Checked just now\.$/)
  expect(sentence({ check: { at: NOW, outcome: 'unreached' } })).toMatch(/^Not checked, no connection: key .*\.$/)
  expect(sentence({ state: { state: 'paused', reason: 'InvalidProviderToken' } })).toMatch(
    /^Paused \(InvalidProviderToken\): key /,
  )
  expect(
    sentence({
      credential: {
        createdAt: KEY.createdAt,
        provider: 'fcm',
        kind: 'service-account',
        projectId: 'shop-1234',
        clientEmail: 'push@shop.example',
        privateKeyId: 'abc',
      },
    }),
  ).toStartWith('Works: service account of the Firebase project shop-1234.')
})
