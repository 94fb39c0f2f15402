import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { createAlertStore } from '../../src/alert/alert-store.ts'
import { createHookStore } from '../../src/hook/hook-store.ts'
import { rotateKey, settleKeys } from '../../src/sealing/rotate-key.ts'
import type { Rotated } from '../../src/sealing/rotate-key.ts'
import { proveSealingKey } from '../../src/sealing/verify-key.ts'
import { sealedRecordsOf } from '../../src/hook/sealed-records.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'
import { storeDevices } from '../support/stored-devices.ts'
import {
  addApplication,
  addAlert,
  addHook,
  ALERT_TARGET,
  addSealed,
  addSecondFactor,
  HOOK_SECRET,
  openedWith,
  takesCode,
} from './sealed-records.ts'

const OLD = new Uint8Array(32).fill(1)
const NEW = new Uint8Array(32).fill(2)
const THIRD = new Uint8Array(32).fill(3)
const STAMP = '20261120T120000Z'
const clock = { now: () => Date.UTC(2026, 10, 20, 12) }
const ALL = ['apns', 'fcm', 'webhook', 'user key', 'token']

function start() {
  const temporary = temporaryDatabase()
  const { database, directory } = temporary
  const path = (name: string) => join(directory, name)
  writeFileSync(path('key'), base64(OLD), { mode: 0o600 })
  return {
    ...temporary,
    path,
    shop: addSealed(database, OLD, 'Shop'),
    news: addSealed(database, OLD, 'News'),
    keyIn: (name: string) => (existsSync(path(name)) ? Buffer.from(readFileSync(path(name), 'utf8'), 'base64') : null),
    keys: () =>
      readdirSync(directory)
        .filter((name) => name.startsWith('key'))
        .toSorted(),
  }
}

function rotate(
  { database, directory }: { database: Database; directory: string },
  options: Partial<Parameters<typeof rotateKey>[0]> = {},
) {
  const random = () => NEW
  return rotateKey({
    database,
    sealed: sealedRecordsOf(database),
    dataDirectory: directory,
    text: undefined,
    to: null,
    discard: false,
    clock,
    random,
    ...options,
  })
}

function prove({ database, directory }: { database: Database; directory: string }, text?: string) {
  return proveSealingKey({ sealed: sealedRecordsOf(database), dataDirectory: directory, text })
}

function rotated(result: ReturnType<typeof rotate>): Rotated {
  if (result.kind === 'problem') throw new Error(result.problem)
  return result
}

describe('a rotation of the sealing key', () => {
  test('seals everything with a new key, which takes the place of the old one; that is kept', () => {
    using made = start()
    const { database, shop, news } = made
    expect(rotate(made)).toEqual({
      kind: 'rotated',
      path: made.path('key'),
      resealed: 8,
      erased: [],
      kept: made.path(`key.until-${STAMP}`),
    })
    for (const application of [shop, news]) {
      expect(openedWith(database, NEW, application)).toEqual(ALL)
      expect(openedWith(database, OLD, application)).toEqual([])
    }
    expect(made.keys()).toEqual(['key', `key.until-${STAMP}`])
    expect(made.keyIn('key')).toEqual(Buffer.from(NEW))
    expect(made.keyIn(`key.until-${STAMP}`)).toEqual(Buffer.from(OLD))
    expect(statSync(made.path('key')).mode & 0o777).toBe(0o600)
  })

  test('seals second factors anew: the codes of the app count as before, and used ones do not', () => {
    using made = start()
    const ann = addSecondFactor(made.database, OLD, 'ann')
    expect(rotated(rotate(made)).resealed).toBe(9)
    expect(takesCode(made.database, OLD, ann, 1)).toBe(false)
    expect(takesCode(made.database, NEW, ann, 0)).toBe(false)
    expect(takesCode(made.database, NEW, ann, 1)).toBe(true)
  })

  const ofHook = (made: ReturnType<typeof start>, key: Uint8Array, name: string) =>
    createHookStore({ ...made, clock, key }).proofOf(name)
  const ofAlert = (made: ReturnType<typeof start>, key: Uint8Array, name: string) =>
    createAlertStore({ ...made, clock, key }).targetOf({ number: name === 'paid' ? 1 : 2, name })
  test.each([
    {
      table: 'hook',
      add: (made: ReturnType<typeof start>, name: string) => addHook(made.database, OLD, made.shop, name),
      of: ofHook,
      holds: { kind: 'signature', signature: 'github', secret: HOOK_SECRET },
      provider: 'hook secret',
      remedy:
        'The hook secret of "paid" is damaged: it does not open with the sealing key, which opens others of the 10 sealed records. Store it again: bellhop hook create APP paid --secret-file …',
    },
    {
      table: 'alert',
      add: (made: ReturnType<typeof start>, name: string) => addAlert(made.database, OLD, name),
      of: ofAlert,
      holds: ALERT_TARGET,
      provider: 'alert target',
      remedy: 'Add it again: bellhop alert delete paid, then bellhop alert add …',
    },
  ])('seals each $provider anew, and erases one that is damaged when it is told to', (one) => {
    using made = start()
    for (const name of ['paid', 'sent']) one.add(made, name)
    expect(rotated(rotate(made)).resealed).toBe(10)
    for (const name of ['paid', 'sent'])
      expect([one.of(made, OLD, name), one.of(made, NEW, name)]).toEqual([null, one.holds])
    made.database.statement(`UPDATE ${one.table} SET sealed = x'00' WHERE name = 'paid'`).run()
    expect(rotate(made, { random: () => THIRD })).toMatchObject({
      kind: 'problem',
      problem: expect.stringContaining(one.remedy),
    })
    const { erased } = rotated(rotate(made, { discard: true, random: () => THIRD }))
    expect(erased).toMatchObject([{ name: 'paid', provider: one.provider }])
    expect(one.of(made, THIRD, 'sent')).toEqual(one.holds)
  })

  test('leaves nothing in the files that the old key opens', () => {
    using made = start()
    addAlert(made.database, OLD, 'ntfy')
    addSecondFactor(made.database, OLD, 'ann')
    addHook(made.database, OLD, made.shop, 'paid')
    const sealed = made.database
      .statement<{ sealed: Uint8Array }, []>(
        'SELECT sealed FROM credential UNION ALL SELECT sealed FROM webhook UNION ALL SELECT sealed FROM provider_token UNION ALL SELECT sealed FROM user_key UNION ALL SELECT sealed FROM second_factor UNION ALL SELECT sealed FROM hook UNION ALL SELECT sealed FROM alert',
      )
      .all()
    expect(sealed).toHaveLength(13)
    rotate(made)
    expect(sealed.filter((row) => made.contains(row.sealed))).toEqual([])
  })

  test('is one after the other, and every earlier key is kept', () => {
    using made = start()
    rotate(made)
    rotate(made, { random: () => THIRD })
    expect(openedWith(made.database, THIRD, made.shop)).toEqual(ALL)
    expect(made.keys()).toEqual(['key', `key.until-${STAMP}`, 'key.until-20261120T120001Z'])
    expect(made.keyIn('key.until-20261120T120001Z')).toEqual(Buffer.from(NEW))
  })

  test('writes the new key to another file, and takes the old one away from the database', () => {
    using made = start()
    const to = made.path('elsewhere')
    expect(rotate(made, { to })).toMatchObject({ path: to, resealed: 8, kept: made.path(`key.until-${STAMP}`) })
    expect(openedWith(made.database, NEW, made.shop)).toEqual(ALL)
    expect(made.keys()).toEqual([`key.until-${STAMP}`])
    expect(made.keyIn('elsewhere')).toEqual(Buffer.from(NEW))
    expect(statSync(to).mode & 0o777).toBe(0o600)
  })

  test('of a key that is a setting needs a file for the new one', () => {
    using made = start()
    rmSync(made.path('key'))
    const text = base64(OLD)
    expect(rotate(made, { text })).toEqual({
      kind: 'problem',
      problem: 'The key is one of the settings, which this command cannot change: --to FILE writes the new one.',
    })
    expect(openedWith(made.database, OLD, made.shop)).toEqual(ALL)
    const to = made.path('elsewhere')
    expect(rotate(made, { text, to })).toMatchObject({ path: to, resealed: 8, kept: null })
    expect(openedWith(made.database, NEW, made.shop)).toEqual(ALL)
    expect(made.keys()).toEqual([])
  })

  test('overwrites no file, and says when that is the key already', () => {
    using made = start()
    const to = made.path('elsewhere')
    writeFileSync(to, 'something else')
    const taken = { kind: 'problem', problem: `There is a file ${to} already: name a new one.` } as const
    expect(rotate(made, { to })).toEqual(taken)
    expect(readFileSync(to, 'utf8')).toBe('something else')
    rmSync(to)
    rotated(rotate(made, { to }))
    expect(rotate(made, { to })).toEqual({
      kind: 'problem',
      problem: `Everything is sealed with the key in ${to} already: give it as BELLHOP_KEY_FILE.`,
    })
  })

  test('where nothing is sealed gives the next one who seals the new key', () => {
    using made = temporaryDatabase()
    expect(rotate(made)).toMatchObject({ kind: 'rotated', resealed: 0 })
    const proven = prove(made)
    expect(proven).toMatchObject({ kind: 'proven', key: Buffer.from(NEW), records: [] })
  })

  test('that cannot write changes nothing', () => {
    using made = start()
    const full: Database = {
      ...made.database,
      transact() {
        throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
      },
    }
    expect(() => rotate({ database: full, directory: made.directory })).toThrow('disk is full')
    expect(made.keyIn('key')).toEqual(Buffer.from(OLD))
    expect(openedWith(made.database, OLD, made.shop)).toEqual(ALL)
    // What is left over does not keep the next one from being done.
    rotated(rotate(made))
    expect(openedWith(made.database, NEW, made.shop)).toEqual(ALL)
  })
})

describe('a rotation with a record that does not open', () => {
  test('is refused, and names it', () => {
    using made = start()
    made.database.statement("UPDATE credential SET sealed = x'00' WHERE application = 1 AND provider = 'fcm'").run()
    expect(rotate(made)).toEqual({
      kind: 'problem',
      problem: `The FCM credential of "Shop" is damaged: it does not open with the sealing key, which opens others of the 8 sealed records. Store it again: bellhop app fcm ${made.shop.id} … Or erase what is damaged: bellhop key rotate --discard.`,
    })
    expect(made.keys()).toEqual(['key'])
    expect(openedWith(made.database, OLD, made.shop)).toEqual(['apns', 'webhook', 'user key', 'token'])
  })

  test('says of a second factor how it is taken away', () => {
    using made = start()
    const ann = addSecondFactor(made.database, OLD, 'ann')
    made.database.statement("UPDATE second_factor SET sealed = x'00'").run()
    expect(rotate(made)).toEqual({
      kind: 'problem',
      problem:
        'The second factor of "ann" is damaged: it does not open with the sealing key, which opens others of the 9 sealed records. Remove it: bellhop admin reset ann. Or erase what is damaged: bellhop key rotate --discard.',
    })
    expect(rotated(rotate(made, { discard: true })).erased).toMatchObject([{ name: 'ann', provider: 'second factor' }])
    expect(takesCode(made.database, NEW, ann, 1)).toBe(false)
  })

  test('erases just that one when it is told to', () => {
    using made = start()
    made.database.statement("UPDATE credential SET sealed = x'00' WHERE application = 1 AND provider = 'fcm'").run()
    const { erased, resealed } = rotated(rotate(made, { discard: true }))
    expect(resealed).toBe(7)
    expect(erased.map(({ name, provider }) => [name, provider])).toEqual([['Shop', 'fcm']])
    expect(openedWith(made.database, NEW, made.shop)).toEqual(['apns', 'webhook', 'user key', 'token'])
    expect(openedWith(made.database, NEW, made.news)).toEqual(ALL)
  })

  test('erases everything when the key is lost, and devices stay', () => {
    using made = start()
    storeDevices(made.database, 1, () => ({ token: 'a' }))
    rmSync(made.path('key'))
    const refused = rotate(made)
    expect(refused.kind === 'problem' && refused.problem).toStartWith(`The sealing key ${made.path('key')} is missing`)
    const { erased, resealed, kept } = rotated(rotate(made, { discard: true }))
    expect({ erased: erased.length, resealed, kept }).toEqual({ erased: 8, resealed: 0, kept: null })
    expect(made.keyIn('key')).toEqual(Buffer.from(NEW))
    const left = made.database.statement<{ left: number }, []>(
      `SELECT (SELECT count(*) FROM credential) + (SELECT count(*) FROM webhook) + (SELECT count(*) FROM provider_token)
         + (SELECT count(*) FROM user_key) AS left FROM device`,
    )
    expect(left.all()).toEqual([{ left: 0 }])
  })

  test('is refused where another key on disk opens it, also when it is told to erase', () => {
    using made = start()
    writeFileSync(made.path('key.until-20260101T000000Z'), base64(OLD))
    writeFileSync(made.path('key'), base64(new Uint8Array(32).fill(9)))
    expect(rotate(made, { discard: true })).toEqual({
      kind: 'problem',
      problem: `The sealing key ${made.path('key')} is not the one that opens what is sealed in the database; the key in ${made.path('key.until-20260101T000000Z')} is: copy it over ${made.path('key')}.`,
    })
    expect(openedWith(made.database, OLD, made.shop)).toEqual(ALL)
  })
})

describe('a rotation that is killed', () => {
  const script = join(import.meta.dir, 'rotate-until.ts')

  test.each([
    ['written', 'data-directory'],
    ['resealed', 'data-directory'],
    ['committed', 'next'],
    ['kept', 'next'],
  ])('after it was %s leaves a key that opens everything, and the next start ends it', async (step, source) => {
    using made = start()
    const child = Bun.spawn([process.execPath, script, made.directory, step], { stderr: 'inherit' })
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')

    const find = () => prove(made)
    const proven = find()
    if (proven.kind === 'problem') throw new Error(proven.problem)
    expect({ source: proven.source, damaged: proven.damaged }).toEqual({ source: source as 'next', damaged: [] })
    expect(openedWith(made.database, proven.key, made.news)).toEqual(ALL)

    settleKeys(made.directory, proven, clock.now())
    expect(made.keyIn('key')).toEqual(Buffer.from(proven.key))
    expect(made.keyIn('key.next')).toBeNull()
    expect(find()).toMatchObject({ key: proven.key, source: 'data-directory' })
    if (source === 'next') expect(made.keyIn(`key.until-${STAMP}`)).toEqual(Buffer.from(OLD))
  })

  test('is done over by the next one', async () => {
    using made = start()
    await Bun.spawn([process.execPath, script, made.directory, 'committed']).exited
    rotated(rotate(made))
    expect(openedWith(made.database, NEW, made.shop)).toEqual(ALL)
    expect(made.keyIn('key')).toEqual(Buffer.from(NEW))
  })

  test.each([
    ['written', OLD],
    ['committed', null],
  ] as const)('after it was %s leaves a key also where the new one goes elsewhere', async (step, opening) => {
    using made = start()
    const to = made.path('elsewhere')
    await Bun.spawn([process.execPath, script, made.directory, step, to]).exited
    const key = opening ?? made.keyIn('elsewhere') ?? new Uint8Array(32)
    expect(openedWith(made.database, key, made.shop)).toEqual(ALL)
    const text = readFileSync(to, 'utf8')
    if (opening === null) expect(prove(made, text).kind).toBe('proven')
  })
})

describe('the proof of a key', () => {
  test('fails for one that opens nothing, and says how much of whom', () => {
    using made = start()
    addSealed(made.database, OLD, 'Chat')
    addSealed(made.database, OLD, 'Games')
    const wrong = new Uint8Array(32).fill(9)
    const told = (named: string) =>
      `The sealing key ${named} does not open any of the 16 sealed records in the database (of "Shop", "News", "Chat" and 1 more): put the right key back. If that key is lost for good, bellhop key rotate --discard erases them, and each application needs its credentials again.`
    const settings = 'of the settings (BELLHOP_KEY, BELLHOP_KEY_FILE or the systemd credential bellhop-key)'
    expect(prove(made, base64(wrong))).toEqual({
      kind: 'problem',
      problem: `The sealing key ${settings} is not the one that opens what is sealed in the database; the key in ${made.path('key')} is: set BELLHOP_KEY_FILE=${made.path('key')} in place of this one.`,
      why: 'misplaced',
    })
    writeFileSync(made.path('key'), base64(wrong))
    expect(prove(made)).toEqual({ kind: 'problem', problem: told(made.path('key')), why: 'wrong' })
    expect(prove(made, base64(wrong))).toEqual({ kind: 'problem', problem: told(settings), why: 'wrong' })
  })

  test('succeeds where one record of several is damaged, and names it', () => {
    using made = start()
    made.database.statement("UPDATE webhook SET sealed = x'00' WHERE application = 2").run()
    const proven = prove(made)
    if (proven.kind === 'problem') throw new Error(proven.problem)
    expect(proven.damaged.map(({ name, provider }) => [name, provider])).toEqual([['News', 'webhook secret']])
  })

  test('succeeds for any key where nothing is sealed', () => {
    using made = temporaryDatabase()
    addApplication(made.database, 'Shop')
    expect(prove(made, base64(NEW))).toMatchObject({ kind: 'proven', records: [] })
  })

  test.each(['apns', 'fcm', 'webhook', 'user_key'] as const)(
    'fails for what was moved to another application: %s',
    (what) => {
      using made = temporaryDatabase()
      const { database } = made
      addSealed(database, NEW, 'Shop')
      addApplication(database, 'Thief')
      const [table, only] = /apns|fcm/.test(what) ? ['credential', `provider = '${what}'`] : [what, '1']
      database.statement(`UPDATE ${table} SET application = 2 WHERE ${only}`).run()
      const proven = prove(made, base64(NEW))
      expect(proven.kind === 'proven' && proven.damaged.map(({ name }) => name)).toEqual(['Thief'])
    },
  )

  test('fails for what was moved to another provider', () => {
    using made = temporaryDatabase()
    const { database } = made
    addSealed(database, NEW, 'Shop')
    database.statement(`DELETE FROM credential WHERE provider = 'fcm'`).run()
    database.statement(`UPDATE credential SET provider = 'fcm'`).run()
    const proven = prove(made, base64(NEW))
    expect(proven.kind === 'proven' && proven.damaged.map(({ provider }) => provider)).toEqual(['fcm'])
  })
})

function base64(key: Uint8Array): string {
  return Buffer.from(key).toString('base64')
}
