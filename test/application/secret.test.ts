import { expect, test } from 'bun:test'
import { hashSecret, secretMatches } from '../../src/application/secret.ts'

const NOW = 1_000_000
const application = { secretHash: hashSecret('bhs_right'), previousSecret: null }

test('a secret is stored as its SHA-256', () => {
  expect(Buffer.from(hashSecret('abc')).toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', // FIPS 180-2, appendix B.1
  )
})

test('only the right secret matches', () => {
  expect(secretMatches(application, 'bhs_right', NOW)).toBe(true)
  for (const wrong of ['', 'bhs_wrong', 'bhs_right ', 'bhs_righ', 'x'.repeat(10_000)]) {
    expect(secretMatches(application, wrong, NOW)).toBe(false)
  }
})
