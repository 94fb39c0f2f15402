import { describe, expect, test } from 'bun:test'
import { createKnownBrowsers } from '../../src/admin/session/known-browsers.ts'
import { createSignIn } from '../../src/admin/session/sign-in.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const KEY = new Uint8Array(32).fill(7)
const DAY_MS = 86_400_000

describe('the cookie of a known browser', () => {
  const clock = createFakeClock()
  const browsers = createKnownBrowsers({ key: KEY, clock })

  test('is good for one password for 180 days, also to another process with the same key', () => {
    const cookie = browsers.make('hash of ann')
    const id = browsers.idIn(cookie, 'hash of ann')
    expect(id).toMatch(/^[\w-]{22}$/)
    expect(createKnownBrowsers({ key: KEY, clock }).idIn(cookie, 'hash of ann')).toBe(id)
    expect(browsers.idIn(cookie, 'hash of bob')).toBeNull()
    expect(createKnownBrowsers({ key: new Uint8Array(32), clock }).idIn(cookie, 'hash of ann')).toBeNull()
    clock.standStill(180 * DAY_MS - 1)
    expect(browsers.idIn(cookie, 'hash of ann')).toBe(id)
    clock.standStill(1)
    expect(browsers.idIn(cookie, 'hash of ann')).toBeNull()
  })

  test('is another for each browser, and good for nothing once a part of it is changed', () => {
    const cookie = browsers.make('hash')
    expect(browsers.make('hash')).not.toBe(cookie)
    const [id = '', until = '', signed = ''] = cookie.split('.')
    for (const forged of ['', '..', id, `${id}.${until}`, `${id}.9${until}.${signed}`, `A${id}.${until}.${signed}`]) {
      expect([forged, browsers.idIn(forged, 'hash')]).toEqual([forged, null])
    }
  })
})

describe('wrong passwords', () => {
  /** Ann, whose hash is her password. */
  function world() {
    const clock = createFakeClock()
    const browsers = createKnownBrowsers({ key: KEY, clock })
    let checked = 0
    const ann = { number: 1, name: 'ann', createdAt: 0 }
    const administrators = {
      find: (name: string) => (name === 'ann' ? ann : null),
      hashOf: (name: string) => (name === 'ann' ? 'right' : null),
    }
    const passwords = {
      matches: (password: string, hash: string | null) => Promise.resolve(++checked > 0 && password === hash),
    }
    const signIn = createSignIn({ clock, administrators, passwords, browsers })
    const kindOf = async (name: string, password: string, address: string, browser: string | null = null) =>
      (await signIn({ name, password, address, browser })).kind
    return { clock, kindOf, signIn, known: browsers.make('right'), checked: () => checked }
  }

  test('at many names from many networks are counted together, and one a second comes back', async () => {
    const { clock, kindOf, signIn, known, checked } = world()
    for (let n = 0; n < 200; n++) {
      expect([n, await kindOf(`name ${n}`, 'wrong', `2001:db8:${n.toString(16)}::1`)]).toEqual([n, 'wrong'])
    }
    const right = { name: 'ann', password: 'right', address: '192.0.2.1', browser: null }
    expect(await signIn(right)).toEqual({ kind: 'wait', seconds: 1 })
    expect(checked()).toBe(200)
    expect(await kindOf('ann', 'right', '192.0.2.1', known)).toBe('signed-in')
    clock.standStill(1000)
    // What was right costs nothing.
    for (let n = 0; n < 3; n++) expect(await kindOf('ann', 'right', '192.0.2.1')).toBe('signed-in')
  })

  test('from the networks of one site of IPv6 are counted together, too', async () => {
    const { kindOf } = world()
    for (let n = 0; n < 160; n++) {
      expect([n, await kindOf(`name ${n}`, 'wrong', `2001:db8:1:${n.toString(16)}::1`)]).toEqual([n, 'wrong'])
    }
    expect(await kindOf('ann', 'right', '2001:db8:1:ffff::1')).toBe('wait')
    expect(await kindOf('ann', 'right', '2001:db8:2::1')).toBe('signed-in')
  })

  test('that nobody looked at, for the name is locked, use up nothing of others', async () => {
    const { kindOf } = world()
    for (let n = 0; n < 20; n++) await kindOf('ann', 'wrong', `192.0.2.${n}`)
    for (let n = 0; n < 300; n++) expect(await kindOf('ann', 'wrong', '198.51.100.1')).toBe('wait')
    expect(await kindOf('bob', 'wrong', '198.51.100.1')).toBe('wrong')
  })

  test('in a known browser are its own, and locked it is alone', async () => {
    const { clock, kindOf, known } = world()
    for (let n = 0; n < 10; n++) expect(await kindOf('ann', 'wrong', `192.0.2.${n}`, known)).toBe('wrong')
    expect(await kindOf('ann', 'right', '192.0.2.1', known)).toBe('wait')
    expect(await kindOf('ann', 'right', '192.0.2.1')).toBe('signed-in')
    clock.standStill(30_000)
    expect(await kindOf('ann', 'right', '192.0.2.1', known)).toBe('signed-in')
  })

  test('at another name are no matter of the cookie', async () => {
    const { kindOf, known } = world()
    for (let n = 0; n < 10; n++) await kindOf(`name ${n}`, 'wrong', '192.0.2.1', known)
    expect(await kindOf('bob', 'wrong', '192.0.2.1', known)).toBe('wait')
  })
})
