import { describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../src/application/application-store.ts'
import type { ApplicationStore } from '../../src/application/application-store.ts'
import { DEFAULT_LIMITS } from '../../src/application/application.ts'
import { hashSecret, secretMatches } from '../../src/application/secret.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'
import { storeDevices } from '../support/stored-devices.ts'

const clock = { now: () => 1_790_000_000_000 }

function openStore() {
  const opened = temporaryDatabase()
  return { ...opened, applications: createApplicationStore({ database: opened.database, clock }) }
}

function created(applications: ApplicationStore, name: string) {
  const result = applications.create(name)
  if (result.kind !== 'created') throw new Error(result.kind)
  return result
}

describe('a new application', () => {
  test('has an id, a secret, the default limits and no simulator', () => {
    using opened = openStore()
    const { application, secret } = created(opened.applications, 'Demo')
    expect(application.id).toMatch(/^app_[a-z2-7]{16}$/)
    expect(secret).toMatch(/^bhs_[\w-]{43}$/)
    expect(application).toMatchObject({ name: 'Demo', limits: DEFAULT_LIMITS, simulated: false })
    expect(secretMatches(application, secret, clock.now())).toBe(true)
  })

  test('is made of the random bytes it is given', () => {
    using opened = temporaryDatabase()
    const random = (length: number) => Uint8Array.from({ length }, (_, index) => index)
    const applications = createApplicationStore({ database: opened.database, clock, random })
    const { application, secret } = created(applications, 'Demo')
    expect(application.id).toBe('app_aaaqeayeaudaocaj') // RFC 4648 base32 of 00 01 … 09
    expect(secret).toBe(`bhs_${Buffer.from(random(32)).toString('base64url')}`)
    expect(application.secretHash).toEqual(hashSecret(secret) as Buffer)
  })

  test('is stored with the time of its creation', () => {
    using opened = openStore()
    created(opened.applications, 'Demo')
    const times = opened.database.statement<{ created_at: number }, []>('SELECT created_at FROM application').all()
    expect(times).toEqual([{ created_at: clock.now() }])
  })

  test('leaves its secret nowhere in the data directory', () => {
    using opened = openStore()
    const { application, secret } = created(opened.applications, 'Demo')
    expect(opened.contains(application.id)).toBe(true)
    expect(opened.contains(secret)).toBe(false)
    expect(opened.contains(secret.slice(4))).toBe(false)
  })

  test('may not have the name or the id of another as its name', () => {
    using opened = openStore()
    const { application } = created(opened.applications, 'Demo')
    expect(opened.applications.create('Demo')).toEqual({ kind: 'name-taken' })
    expect(opened.applications.create(application.id)).toEqual({ kind: 'name-taken' })
    expect(opened.applications.list()).toHaveLength(1)
  })

  test('has a name of 1 to 100 characters', () => {
    using opened = openStore()
    for (const name of ['a', '🔔'.repeat(100), 'Zwei Wörter'])
      expect(opened.applications.create(name).kind).toBe('created')
    for (const name of ['', 'a'.repeat(101), ' a', 'a ', 'a\nb', 'a\u0000b']) {
      expect(opened.applications.create(name)).toEqual({ kind: 'name-invalid' })
    }
  })
})

describe('an application', () => {
  test('is found by its id and by its name', () => {
    using opened = openStore()
    const { application } = created(opened.applications, 'Demo')
    expect(opened.applications.find(application.id)).toEqual(application)
    expect(opened.applications.find('Demo')).toEqual(application)
    expect(opened.applications.find('demo')).toBeNull()
    expect(opened.applications.find('')).toBeNull()
  })

  test('whose secret is rotated with an overlap knows the one before too, for so long, and no other', () => {
    using opened = openStore()
    const { application, secret: first } = created(opened.applications, 'Demo')
    const rotate = (overlapMs?: number) => {
      const rotated = opened.applications.rotateSecret(application.id, overlapMs)
      if (rotated.kind === 'not-found') throw new Error(rotated.kind)
      return rotated
    }
    const knows = (secret: string, at = clock.now()) => secretMatches(opened.applications.find('Demo'), secret, at)
    const { secret: second, previousUntil } = rotate(60_000)
    expect(previousUntil).toBe(clock.now() + 60_000)
    expect([knows(first), knows(second), knows(first, clock.now() + 60_000)]).toEqual([true, true, false])
    const { secret: third } = rotate(60_000)
    expect([knows(first), knows(second), knows(third)]).toEqual([false, true, true])
    const last = rotate()
    expect(last.previousUntil).toBeNull()
    expect([knows(second), knows(third), knows(last.secret)]).toEqual([false, false, true])
  })

  test('keeps the limits that are not changed', () => {
    using opened = openStore()
    const other = created(opened.applications, 'Other').application
    const { application } = created(opened.applications, 'Demo')
    const first = opened.applications.setLimits(application.id, { rate: 0.5, quotaPeriod: 'day' })
    expect(first).toEqual({
      kind: 'changed',
      application: { ...application, limits: { ...DEFAULT_LIMITS, rate: 0.5, quotaPeriod: 'day' } },
    })
    const rest = {
      burst: 1,
      backendRate: 2,
      backendBurst: 3,
      quota: 0,
      confirmAbove: 4,
      holdSeconds: 5,
      maxLabels: 6,
      maxDevices: 7,
      pushId: false,
      secretEverywhere: true,
      verifyUsers: true,
      adoptImported: false,
    }
    opened.applications.setLimits(application.id, rest)
    const limits = { rate: 0.5, quotaPeriod: 'day', ...rest } as const
    expect(opened.applications.find('Demo')?.limits).toEqual(limits)
    expect(opened.applications.find('Other')).toEqual(other)
  })

  test('that is removed is gone, with its devices, and alone', () => {
    using opened = openStore()
    const other = created(opened.applications, 'Other').application
    const { application } = created(opened.applications, 'Demo')
    for (const { number } of [other, application]) {
      storeDevices(opened.database, 1, () => ({ application: number, token: 't' }))
    }
    expect(opened.applications.remove(application.id)).toEqual({ kind: 'removed' })
    expect(opened.applications.list()).toEqual([other])
    expect(opened.database.statement<{ application: number }, []>('SELECT application FROM device').all()).toEqual([
      { application: other.number },
    ])
    expect(opened.applications.remove(application.id)).toEqual({ kind: 'not-found' })
  })

  test('that does not exist is not found', () => {
    using opened = openStore()
    const { applications } = opened
    created(applications, 'Demo')
    // By id only: a name is looked up with find first.
    for (const id of ['app_none', 'Demo']) {
      expect(applications.rotateSecret(id)).toEqual({ kind: 'not-found' })
      expect(applications.remove(id)).toEqual({ kind: 'not-found' })
      expect(applications.setLimits(id, { rate: 1 })).toEqual({ kind: 'not-found' })
      expect(applications.setSimulated(id, true)).toEqual({ kind: 'not-found' })
    }
    expect(applications.list()).toHaveLength(1)
  })
})
