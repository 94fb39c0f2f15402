import { expect, test } from 'bun:test'
import { createPasswords } from '../../src/admin/password.ts'

/** Stands for argon2: each piece of work ends when it is told to. */
function slowArgon2() {
  const running: (() => void)[] = []
  let most = 0
  const begin = <T>(result: T) =>
    new Promise<T>((resolve) => {
      running.push(() => resolve(result))
      most = Math.max(most, running.length)
    })
  return {
    argon2: { hash: () => begin('hashed'), verify: () => begin(true) } as unknown as typeof Bun.password,
    most: () => most,
    running: () => running.length,
    async endOne(): Promise<void> {
      running.shift()?.()
      // Until the next in line has begun.
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    },
  }
}

test('one password is hashed at a time, 32 wait, and whoever comes then is told so at once', async () => {
  const slow = slowArgon2()
  const passwords = createPasswords(slow.argon2)
  const inside = Array.from({ length: 33 }, (_, n) =>
    n % 2 === 0 ? passwords.matches('x', 'hash') : passwords.hash('x'),
  )
  expect(passwords.isFull()).toBe(true)
  expect(await passwords.matches('x', 'hash')).toBeNull()
  expect(await passwords.matches('x', null)).toBeNull()
  expect(await passwords.hash('x')).toBeNull()
  await slow.endOne()
  expect(passwords.isFull()).toBe(false)
  const one = passwords.matches('x', null)
  expect(await passwords.hash('x')).toBeNull()
  while (slow.running() > 0) await slow.endOne()
  expect(await Promise.all(inside)).toEqual(Array.from({ length: 33 }, (_, n) => (n % 2 === 0 ? true : 'hashed')))
  // Right as the word is, nobody has this name.
  expect(await one).toBe(false)
  // More would take the threads that commits are synced on.
  expect(slow.most()).toBe(1)
})

test('work that fails lets the next one in', async () => {
  const broken = { hash: () => Promise.reject(new Error('no memory')), verify: () => Promise.resolve(true) }
  const passwords = createPasswords(broken)
  const tries = Array.from({ length: 10 }, () => passwords.hash('x').catch(() => 'failed'))
  expect(new Set(await Promise.all(tries))).toEqual(new Set(['failed']))
  expect(await passwords.matches('x', 'hash')).toBe(true)
})

test('an unknown name costs what a known one does: argon2id with the same parameters', async () => {
  const compared: string[] = []
  const passwords = createPasswords({
    ...Bun.password,
    verify: (_: unknown, hash: string) => Promise.resolve(compared.push(hash) > 0),
  })
  const hash = (await passwords.hash('correct horse battery')) ?? ''
  await passwords.matches('x', hash)
  await passwords.matches('x', null)
  const costs = compared.map((each) => each.split('$').slice(0, 4).join('$'))
  expect(costs).toEqual(['$argon2id$v=19$m=19456,t=2,p=1', '$argon2id$v=19$m=19456,t=2,p=1'])
})
