import { describe, expect, test } from 'bun:test'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import { createProviderTokens } from '../../../src/gateway/apns/token.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const MINUTE_MS = 60_000
const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const KEY = { privateKey, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' }

function start() {
  const clock = createFakeClock()
  return { clock, tokens: createProviderTokens(KEY, clock) }
}

describe('a provider token', () => {
  test('is signed with ES256 and says key, team and time', async () => {
    const { clock, tokens } = start()
    const authorization = await tokens.current()
    expect(authorization).toStartWith('bearer ')
    const { payload, protectedHeader } = await jwtVerify(
      authorization.slice('bearer '.length),
      createPublicKey(publicKey),
    )
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'ABC123DEFG' })
    expect(payload).toEqual({ iss: 'DEF123GHIJ', iat: clock.now() / 1000 })
  })

  test('is used for 50 minutes, then renewed', async () => {
    const { clock, tokens } = start()
    const first = await tokens.current()
    clock.advance(50 * MINUTE_MS - 1)
    expect(tokens.current()).toBe(first)
    clock.advance(1)
    expect(await tokens.current()).not.toBe(first)
  })

  test('is signed once, however many ask at a time', async () => {
    const { tokens } = start()
    const all = await Promise.all(Array.from({ length: 10 }, async () => await tokens.current()))
    expect(new Set(all).size).toBe(1)
  })

  test('that APNs calls expired is renewed at once, but no second time within 20 minutes', async () => {
    const { clock, tokens } = start()
    const first = await tokens.current()
    tokens.expired(first)
    const second = await tokens.current()
    expect(second).not.toBe(first)
    clock.advance(20 * MINUTE_MS - 1)
    tokens.expired(second)
    expect(tokens.current()).toBe(second)
    clock.advance(1)
    tokens.expired(second)
    expect(await tokens.current()).not.toBe(second)
  })

  describe('that is kept', () => {
    const keeping = () => {
      const texts: string[] = []
      const keep = { load: () => texts, save: (next: string) => void texts.push(next) }
      const clock = createFakeClock()
      return { clock, texts, restart: (key = KEY) => createProviderTokens(key, clock, keep) }
    }

    test('goes on being used after a restart, until it is 50 minutes old', async () => {
      const { clock, restart } = keeping()
      const first = await restart().current()
      clock.advance(50 * MINUTE_MS - 1)
      expect(await restart().current()).toBe(first)
      clock.advance(1)
      const second = await restart().current()
      expect(second).not.toBe(first)
      expect(await restart().current()).toBe(second)
    })

    test('is not used with another key or team', async () => {
      const { restart } = keeping()
      const first = await restart().current()
      expect(await restart({ ...KEY, keyId: 'XYZ123DEFG' }).current()).not.toBe(first)
      const second = await restart().current()
      expect(await restart({ ...KEY, teamId: 'XYZ123GHIJ' }).current()).not.toBe(second)
    })
  })

  describe('of a key that others sign with too', () => {
    const shared = () => {
      const texts: string[] = []
      const keep = { load: () => texts, save: (text: string) => void texts.push(text) }
      const clock = createFakeClock()
      const signing = new Map()
      return { clock, texts, join: (key = KEY) => createProviderTokens(key, clock, keep, signing) }
    }

    test('is one for all, also where they sign at the same time, and after each renewal', async () => {
      const { clock, join } = shared()
      const all = [join(), join(), join()]
      const now = () => Promise.all(all.map(async (tokens) => await tokens.current()))
      const first = new Set(await now())
      clock.advance(50 * MINUTE_MS)
      const second = new Set(await now())
      expect([first.size, second.size]).toEqual([1, 1])
      expect([...first][0]).not.toBe([...second][0])
    })

    test('is what another process has made since', async () => {
      const { clock, texts, join } = shared()
      const mine = join()
      await mine.current()
      clock.advance(50 * MINUTE_MS)
      const theirs = await createProviderTokens(KEY, clock, {
        load: () => [],
        save: (text) => texts.push(text),
      }).current()
      expect(await mine.current()).toBe(theirs)
    })

    test('that APNs calls expired is not taken up again', async () => {
      const { join } = shared()
      const tokens = join()
      const first = await tokens.current()
      tokens.expired(first)
      expect(await tokens.current()).not.toBe(first)
    })

    test('is not that of another private key with the same names', async () => {
      const { join } = shared()
      const first = await join().current()
      const other = generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }).privateKey
      expect(await join({ ...KEY, privateKey: other }).current()).not.toBe(first)
    })
  })

  test('stays when it is another one that expired', async () => {
    const { clock, tokens } = start()
    const first = await tokens.current()
    clock.advance(30 * MINUTE_MS)
    tokens.expired('bearer another')
    expect(tokens.current()).toBe(first)
  })

  test('is kept when the clock is put back by five minutes, until APNs says that it has expired', async () => {
    const { clock, tokens } = start()
    const first = await tokens.current()
    clock.set(clock.now() - 5 * MINUTE_MS)
    expect(await tokens.current()).toBe(first)
    tokens.expired(first)
    expect(await tokens.current()).not.toBe(first)
  })

  test('from the future is not fresh: once the clock is put right a new one is made, also after a restart', async () => {
    const clock = createFakeClock()
    const texts: string[] = []
    const keep = { load: () => texts, save: (next: string) => void texts.push(next) }
    const right = clock.now()
    clock.set(right + 24 * 60 * MINUTE_MS)
    const tokens = createProviderTokens(KEY, clock, keep)
    const tomorrows = await tokens.current()
    clock.set(right)
    const restarted = await createProviderTokens(KEY, clock, keep).current()
    const renewed = await tokens.current()
    for (const token of [restarted, renewed]) {
      expect(token).not.toBe(tomorrows)
      expect(decodeJwt(token.slice('bearer '.length)).iat).toBe(right / 1000)
    }
    expect(await tokens.current()).toBe(renewed)
  })

  test('from the future that APNs takes stays for 20 minutes, in which APNs refuses another one', async () => {
    const { clock, tokens } = start()
    const first = await tokens.current()
    tokens.taken(first)
    clock.set(clock.now() - 60 * MINUTE_MS)
    clock.advance(10 * MINUTE_MS)
    tokens.taken(first)
    clock.advance(10 * MINUTE_MS - 1)
    expect(await tokens.current()).toBe(first)
    clock.advance(1)
    expect(await tokens.current()).not.toBe(first)
  })

  test('from the future that APNs took and takes no more is replaced, though one was renewed just before', async () => {
    const { clock, tokens } = start()
    tokens.expired(await tokens.current())
    const second = await tokens.current()
    tokens.taken(second)
    clock.set(clock.now() - 10 * MINUTE_MS)
    expect(await tokens.current()).toBe(second)
    tokens.expired(second)
    expect(await tokens.current()).not.toBe(second)
  })

  test('is known to be ahead of an answer, or of the clock that was put back', async () => {
    const { clock, tokens } = start()
    const token = await tokens.current()
    expect(tokens.isAhead(token, null)).toBe(false)
    expect(tokens.isAhead(token, clock.now())).toBe(false)
    expect(tokens.isAhead(token, clock.now() - 2 * MINUTE_MS)).toBe(true)
    expect(tokens.isAhead('bearer another', clock.now() - 2 * MINUTE_MS)).toBe(false)
    clock.set(clock.now() - 2 * MINUTE_MS)
    expect(tokens.isAhead(token, null)).toBe(true)
  })

  test('cannot be made of what is no key', async () => {
    const tokens = createProviderTokens({ ...KEY, privateKey: 'junk' }, createFakeClock())
    const error = await Promise.resolve(tokens.current()).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'TypeError', message: '"pkcs8" must be PKCS#8 formatted string' })
  })
})
