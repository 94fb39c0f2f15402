import { describe, expect, test } from 'bun:test'
import { COMMON_PASSWORDS } from '../../src/account/common-passwords.ts'
import { guessableAs } from '../../src/account/guessable-password.ts'

const COMMON = 'must not be a common password, even repeated or with digits and symbols around it'
const OWN = 'must not be the name or "bellhop" with a few characters added'

describe('a password', () => {
  test.each([
    '1q2w3e4r5t6y',
    'QWERTY123456',
    'passwordpassword',
    'Password2026!',
    '!!!! dragon !!!!',
    'aaaaaaaaaaaa',
    'xyzxyzxyzxyz',
    '123456123456',
  ])('%s is a common one', async (password) => {
    expect(await guessableAs(password, 'ann')).toBe(COMMON)
  })

  test.each(['bellhop12345', 'BellhopBellhop!', 'ann.ann.ann.1', 'bellhop-admin', 'Ann-Password-1'])(
    '%s is of the name, or of the service, and little else',
    async (password) => {
      expect(await guessableAs(password, 'ann')).toBe(OWN)
    },
  )

  test.each([
    'correct horse battery',
    'another good password',
    'bellhop-correct-horse-battery',
    'kX9#mannTq27Lw',
    '847261937465',
  ])('%s may be had', async (password) => {
    expect(await guessableAs(password, 'ann')).toBeNull()
  })

  test('of the greatest length is judged at once', async () => {
    expect(await guessableAs(`${'a'.repeat(1023)}ß`, 'ann')).toBeNull()
  })

  test('may have a short name in it, which is in many words', async () => {
    expect(await guessableAs('al4815162342x', 'al')).toBeNull()
  })
})

test('the list has more than the 10,000 that are common, in lower case', () => {
  expect(COMMON_PASSWORDS.size).toBeGreaterThan(10_000)
  expect([...COMMON_PASSWORDS].filter((password) => password !== password.toLowerCase())).toEqual([])
})
