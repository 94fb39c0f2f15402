import { describe, expect, test } from 'bun:test'
import { createLanguageDays } from '../../../src/stats/receipt-count-store.ts'
import { fileSending } from '../../support/file-service.ts'
import { arrivalsOf } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import type { Caller } from '../../support/caller.ts'
import { expectFailure } from '../../support/refusals.ts'
import type { Answer } from '../../support/service.ts'

const { service, clock } = await fileSending()

const QUIET = { msg: 'Hello', sound: '', badge: '' }
const LANGUAGES = {
  de: { title: 'Laden', msg: 'Hallo' },
  pt_br: { msg: 'Olá', link: 'shop:br', image: 'https://shop.example/br.png' },
  'zh-Hant': { msg: '您好' },
}
const PUSH = { ...QUIET, title: 'Shop', link: 'shop:en', platform: ['0', '1'], languages: LANGUAGES }

/** What a phone of each locale is to show. */
const SHOWN = {
  'de-CH': 'Hallo',
  'pt-BR': 'Olá',
  'pt-PT': 'Hello',
  'zh-Hant-TW': '您好',
  zh: 'Hello',
  '': 'Hello',
} as const

async function withPhones(): Promise<Caller> {
  const caller = newCaller(service)
  for (const [at, locale] of Object.keys(SHOWN).entries()) {
    await caller.register({ token: `${at}`.repeat(64), platform: '0', locale, tag: 'all' })
    await caller.register({ token: `android:${at}`, platform: '1', locale, tag: 'all' })
  }
  return caller
}

/** By token, what has arrived of a push when it is over. */
async function arrived({ status, body: { id } }: Answer): Promise<Map<string, any>> {
  expect(status).toBe(200)
  return new Map((await arrivalsOf(service, id)).map(({ token, body }) => [token, body]))
}

describe('a push in several languages', () => {
  test.each(['everybody', 'those of a filter'])(
    'reaches each phone in its own, or as the push says: %s',
    async (whom) => {
      const caller = await withPhones()
      const filter = whom === 'everybody' ? {} : { tags: ['all'] }
      const bodies = await arrived(await caller.post('/push/all', { ...PUSH, ...filter }))
      expect(bodies.size).toBe(12)
      for (const [at, msg] of Object.values(SHOWN).entries()) {
        const title = msg === 'Hallo' ? 'Laden' : 'Shop'
        const link = msg === 'Olá' ? 'shop:br' : 'shop:en'
        const apns = bodies.get(`${at}`.repeat(64))
        expect(apns).toMatchObject({ aps: { alert: { title, body: msg } }, link })
        expect(apns.image).toBe(msg === 'Olá' ? 'https://shop.example/br.png' : undefined)
        const fcm = bodies.get(`android:${at}`).message
        expect(fcm).toMatchObject({ notification: { title, body: msg }, data: { link } })
      }
    },
  )

  test('reaches one device in its language', async () => {
    const caller = await withPhones()
    const { platform: _, ...one } = PUSH
    const bodies = await arrived(await caller.post('/push/one', { ...one, platform: '1', token: 'android:0' }))
    expect(bodies.get('android:0')).toMatchObject({ message: { notification: { body: 'Hallo' } } })
  })

  test('is previewed in each, with how many get it', async () => {
    const caller = await withPhones()
    const { status, body } = await caller.post('/push/preview', { ...PUSH, platform: ['0'] })
    expect(status).toBe(200)
    // The first device has German.
    expect(body.apns.body.aps.alert).toEqual({ title: 'Laden', body: 'Hallo' })
    expect(body.languages.map((one: any) => [one.language, one.t, one.apns.body.aps.alert.body, one.fcm])).toEqual([
      [null, 3, 'Hello', null],
      ['de', 1, 'Hallo', null],
      ['pt-BR', 1, 'Olá', null],
      ['zh-Hant', 1, '您好', null],
    ])
    for (const { apns } of body.languages) expect(apns.bytes).toBe(Buffer.byteLength(JSON.stringify(apns.body)))
    const { platform: _, ...one } = PUSH
    const ofOne = await caller.post('/push/preview', { ...one, platform: '1', token: 'android:1' })
    expect(ofOne.body.languages.map((each: any) => [each.language, each.t, each.apns])).toEqual([
      [null, 0, null],
      ['de', 0, null],
      ['pt-BR', 1, null],
      ['zh-Hant', 0, null],
    ])
    expect((await caller.post('/push/preview', { ...PUSH, languages: null })).body).not.toHaveProperty('languages')
  })

  test('says of a device which language it gets', async () => {
    const caller = await withPhones()
    const { application } = caller
    const ask = async (id: string, token: string) =>
      (await service.get(`/push/${id}/device`, { application, headers: { token } })).body
    const { id } = (await caller.post('/push/all', { ...PUSH, send_at: 3600 })).body
    expect(await ask(id, 'android:3')).toMatchObject({ verdict: 'scheduled', language: 'zh-Hant' })
    expect(await ask(id, 'android:2')).toMatchObject({ language: null })
    expect(await ask(id, 'unknown')).not.toHaveProperty('language')
    const plain = (await caller.post('/push/all', { ...PUSH, languages: {}, send_at: 3600 })).body
    expect(await ask(plain.id, 'android:3')).not.toHaveProperty('language')
  })
})

describe('what became of a push in several languages', () => {
  const GONE = 'bad4100'.padEnd(64, '0')
  const TOO_LARGE = 'bad4130'.padEnd(64, '0')
  const NOTHING = { failed: 0, o: 0, received: 0, opened_rate: null, received_rate: null, actions: {} }
  const statusOf = async ({ application }: Caller, id: string) =>
    (await service.get(`/push/${id}`, { application })).body

  /** A push that is over, to phones of which two are refused. */
  async function pushed(caller: Caller, more: object = {}): Promise<string> {
    await caller.register({ token: GONE, platform: '0', locale: 'de' })
    await caller.register({ token: TOO_LARGE, platform: '0', locale: 'nl' })
    const { id } = (await caller.post('/push/all', { ...PUSH, ...more })).body
    await arrivalsOf(service, id)
    return id
  }

  test('its status says for each, and for nobody, and together they are the whole', async () => {
    const caller = await withPhones()
    const { application } = caller
    const id = await pushed(caller)
    const report = (platform: string, more: object) => service.put('/stats', { platform, id, ...more }, { application })
    await report('1', { token: 'android:0' })
    await report('1', { token: 'android:0' })
    await report('1', { token: 'android:0', event: 'received' })
    await report('0', { token: '0'.repeat(64), event: 'received' })
    await report('0', { token: '0'.repeat(64), event: 'action', action: 'reply' })
    await report('0', { token: '2'.repeat(64) })
    await report('0', {})
    const status = await statusOf(caller, id)
    expect(status).toMatchObject({ t: 14, s: 12, failed: { total: 2 }, o: 3, received: 2, actions: { reply: 1 } })
    expect(status.languages).toEqual([
      { ...NOTHING, language: null, s: 6, failed: 1, o: 1, opened_rate: 0.1667, received_rate: 0 },
      {
        language: 'de',
        s: 2,
        failed: 1,
        o: 1,
        received: 2,
        opened_rate: 0.5,
        received_rate: 1,
        actions: { reply: 1 },
      },
      { ...NOTHING, language: 'pt-BR', s: 2, opened_rate: 0, received_rate: 0 },
      { ...NOTHING, language: 'zh-Hant', s: 2, opened_rate: 0, received_rate: 0 },
    ])
    expect(status.language_unknown).toEqual({ s: 0, failed: 0, o: 1, received: 0, actions: {} })
  })

  test('the days say of each what the statuses of the pushes say that went out then', async () => {
    const caller = await withPhones()
    const [first, second] = [await pushed(caller), await pushed(caller)]
    for (const [id, token] of [
      [first, 'android:0'],
      [second, 'android:0'],
      [second, 'android:2'],
    ] as const) {
      await caller.put('/stats', { platform: '1', id, token })
      await caller.put('/stats', { platform: '1', id, token: 'android:1', event: 'received' })
    }
    await pushed(caller, { languages: {} })
    const sums = new Map<string | null, number[]>()
    for (const id of [first, second]) {
      for (const { language, s, o, received } of (await statusOf(caller, id)).languages) {
        const [a = 0, b = 0, c = 0] = sums.get(language) ?? []
        sums.set(language, [a + s, b + o, c + received])
      }
    }
    const number = service.database
      .reading<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
      .get(caller.application.id)
    const today = Math.floor(clock.now() / 86_400_000)
    const days = createLanguageDays(service).days(number?.number ?? 0, today - 1, today)
    expect(days.map(({ day }) => day)).toEqual(days.map(() => today))
    const counted = days.map(({ language, s, o, received }) => [language === '*' ? null : language, [s, o, received]])
    expect(new Map(counted as [string | null, number[]][])).toEqual(sums)
    expect(sums.get('de')).toEqual([4, 2, 0])
    expect(createLanguageDays(service).days(number?.number ?? 0, today - 9, today - 1)).toEqual([])
  })

  test('one that has not gone out has counted nothing in any', async () => {
    const caller = await withPhones()
    const { id } = (await caller.post('/push/all', { ...PUSH, send_at: 3600 })).body
    const { languages, language_unknown } = await statusOf(caller, id)
    expect(languages).toMatchObject([null, 'de', 'pt-BR', 'zh-Hant'].map((language) => ({ language, s: 0 })))
    for (const counts of languages) expect(counts).toMatchObject(NOTHING)
    expect(language_unknown).toEqual({ s: 0, failed: 0, o: 0, received: 0, actions: {} })
  })

  test('who was never sent to has failed in none', async () => {
    const caller = await withPhones()
    const { id } = (await caller.post('/push/all', { ...PUSH, send_at: 3600 })).body
    expect((await caller.post(`/push/${id}/cancel`, {})).status).toBe(200)
    const late = (await caller.post('/push/all', { ...PUSH, platform: ['0'] })).body.id
    await arrivalsOf(service, late)
    expect(await statusOf(caller, id)).toMatchObject({ state: 'cancelled', language_unknown: { failed: 0 } })
    expect(await statusOf(caller, late)).toMatchObject({ s: 6, language_unknown: { s: 0, failed: 0 } })
  })

  test('one with one text has neither, and leaves no row by language', async () => {
    const caller = await withPhones()
    const id = await pushed(caller, { languages: {} })
    await service.put('/stats', { platform: '1', id, token: 'android:0' }, caller)
    const status = await statusOf(caller, id)
    expect(status).toMatchObject({ s: 12, failed: { total: 2 }, o: 1 })
    expect(Object.keys(status)).not.toContain('languages')
    expect(Object.keys(status)).not.toContain('language_unknown')
    const rows = service.database.reading<{ rows: number }, [string]>(
      `SELECT (SELECT count(*) FROM delivery_language WHERE push = number)
         + (SELECT count(*) FROM push_exception e WHERE e.push = number AND e.language IS NOT NULL)
         + (SELECT count(*) FROM push_receipt r WHERE r.push = number AND r.language <> '') AS rows
       FROM push WHERE id = ?`,
    )
    expect(rows.get(id)).toEqual({ rows: 0 })
  })

  test('a device that failed is explained by the language that it was sent, whatever its own is now', async () => {
    const caller = await withPhones()
    const { application } = caller
    const id = await pushed(caller)
    const languageOf = async (token: string) =>
      (await service.get(`/push/${id}/device`, { application, headers: { token } })).body.language
    await caller.register({ token: TOO_LARGE, platform: '0', locale: 'de' })
    expect(await languageOf(TOO_LARGE)).toBeNull()
    // Who was taken leaves no row.
    await caller.register({ token: 'android:0', platform: '1', locale: 'pt-BR' })
    expect(await languageOf('android:0')).toBe('pt-BR')
  })
})

describe('bad input in languages stores nothing', () => {
  const FIELDS = 'these are title, subtitle, msg, image, link'
  const ALL = Object.fromEntries(
    Array.from({ length: 101 }, (_, n) => [`en-${String(100 + n)}`, { msg: 'x' }] as const),
  )
  test.each([
    ['languages', 'de', 'must be an object, not "de"'],
    ['languages', ['de'], 'must be an object, not an array'],
    ['languages', { '': {} }, 'must be by language tags such as pt-BR, not ""'],
    ['languages', { root: {} }, 'must be by language tags such as pt-BR, not "root"'],
    ['languages', { 'd\u0000e': {} }, 'must be by language tags such as pt-BR, not "d\\u0000e"'],
    ['languages', { 'de-\ud800': {} }, 'must be by language tags such as pt-BR, not "de-\\ud800"'],
    ['languages', { ['a'.repeat(70)]: {} }, 'must be by language tags such as pt-BR, not a string of 70 characters'],
    ['languages', ALL, 'must be at most 100 languages'],
    ['languages.pt-BR', { 'pt-BR': {}, pt_br: {} }, 'must not be given twice, in two spellings'],
    ['languages.de', { de: 'Hallo' }, 'must be an object, not "Hallo"'],
    ['languages.de.sound', { de: { sound: 'x' } }, `is not a field of a language: ${FIELDS}`],
    ['languages.de.msg', { de: { msg: 1 } }, 'must be a string, not 1'],
    ['languages.de.msg', { de: { msg: '\ud800' } }, 'must be well-formed Unicode, without lone surrogates'],
    ['languages.de.image', { de: { image: 'http://x' } }, 'must be an https URL, not "http://x"'],
    [
      'languages.de.link',
      { de: { link: 'a b' } },
      'must be a URL with its scheme, such as https: or the app\'s own, not "a b"',
    ],
  ])('%s', async (field, languages, problem) => {
    const caller = newCaller(service)
    await caller.register({ token: 'x', platform: '1' })
    for (const [path, to] of [
      ['/push/all', { platform: ['1'] }],
      ['/push/one', { platform: '1', token: 'x' }],
      ['/push/preview', { platform: ['1'] }],
    ] as const) {
      const answer = await caller.post(path, { ...QUIET, ...to, languages })
      expectFailure(answer, 400, 'InvalidArgument', `${field} ${problem}.`)
    }
    expect((await caller.get('/pushes')).body).toEqual([])
  })

  test('where a gateway would refuse one of them, or a phone show nothing of it', async () => {
    const caller = newCaller(service)
    const refused = async (content: object, message: string) =>
      expectFailure(
        await caller.post('/push/all', { platform: ['0', '1'], tags: 'x', ...content }),
        400,
        'InvalidArgument',
        message,
      )
    await refused(
      { msg: 'short', languages: { en: { msg: 'short' }, de: { msg: 'x'.repeat(5000) } } },
      'languages.de.msg, sound and payload are too large: 5078 bytes for APNs, 5233 bytes for FCM; at most 4096 are allowed.',
    )
    await refused(
      { badge: '1', languages: { de: { image: 'https://x.example/' } } },
      'languages.de.image needs msg or title beside it.',
    )
    await refused(
      { msg: 'x', payload: { link: 'y' }, languages: { de: { link: 'a:b' } } },
      "payload.link can't be combined with languages.de.link, which is sent under that name.",
    )
    await refused(
      { silent: true, languages: { de: { msg: 'x' } } },
      "languages can't be combined with silent, which shows nothing.",
    )
    expect((await caller.get('/pushes')).body).toEqual([])
  })

  test('null and "" are absent, in a language too', async () => {
    const caller = newCaller(service)
    await caller.register({ token: 'x', platform: '1', locale: 'de' })
    const languages = { fr: null, de: { msg: '', title: null, link: 'a:de' }, en: [] }
    const body = (await arrived(await caller.post('/push/all', { ...QUIET, platform: ['1'], languages }))).get('x')
    expect(body).toMatchObject({ message: { notification: { body: 'Hello' }, data: { link: 'a:de' } } })
  })
})
