import { describe, expect, test } from 'bun:test'
import { namesOf, testFilters } from '../../support/reach.ts'
import type { Example } from '../../support/reach.ts'
import { fileService } from '../../support/file-service.ts'
import { arrivalsOf, tokensReached } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { badDegrees, expectFailure, expectInvalid } from '../../support/refusals.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** By name, in the order of the names. */
const DEVICES = {
  ann: { platform: '0', token: 'a1'.repeat(32), tag: ['vip'], active: ['news'], lat: 52.52, lng: 13.405 },
  // In Potsdam, 26 km from Berlin's middle.
  bob: { platform: '1', token: 'phone:bob', tag: ['vip', 'beta'], alias: 'bob', lat: '52.4009', lng: '13.0591' },
  cid: {
    platform: '0',
    token: 'a3'.repeat(32),
    tag: ['beta'],
    active: ['news', 'offers'],
    lat: -33.8688,
    lng: 151.2093,
  },
  // Two islands of Fiji, 11 km from each other, with the date line between them.
  dan: { platform: '1', token: 'phone:dan', active: ['offers'], lat: -16.8, lng: 179.95 },
  eve: { platform: '0', token: 'a5'.repeat(32), lat: -16.8, lng: -179.95 },
  fay: { platform: '1', token: 'phone:fay', tag: ['vip'] },
}
type Name = keyof typeof DEVICES

const NOBODY = ''
const BERLIN = { lat: 52.52, lng: 13.405 }
const SUVA = { lat: -16.8, lng: 180 }

const clock = createFakeClock()
/** Without what the service does each second in between. */
const pass = (ms: number) => clock.set(clock.now() + ms)
const service = await fileService({ clock })
const caller = newCaller(service)
const register = async (...names: readonly Name[]) => {
  for (const name of names) await caller.register(DEVICES[name])
}
// 45 days and an hour ago; bob was here again an hour ago.
await register('ann', 'bob')
pass(40 * DAY_MS)
await register('cid', 'dan')
pass(5 * DAY_MS)
await register('eve', 'bob')
pass(HOUR_MS)
await register('fay')

/** The names of the devices a push with this filter reached, in order; who got it twice is named twice. */
async function reached(filter: object): Promise<string> {
  return namesOf(DEVICES, await tokensReached(service, await caller.post('/push/all', { ...filter, msg: 'Hello' })))
}

function near(place: object, radius: number | string): object {
  return { near: { ...place, radius_km: radius } }
}

const SENTENCES: Readonly<Record<string, readonly Example[]>> = {
  'near: a device whose location is within the radius, on the globe': [
    [near(BERLIN, 10), 'ann'],
    [near(BERLIN, 26), 'ann'],
    [near(BERLIN, 27), 'ann bob'],
    [near({ lat: '52.52', lng: '13.405' }, '27.0'), 'ann bob'],
    [near(BERLIN, 16_000), 'ann bob dan eve'],
    [near(BERLIN, 16_100), 'ann bob cid dan eve'],
    [near(BERLIN, 20_038), 'ann bob cid dan eve'],
    [near(BERLIN, 0.01), 'ann'],
    [near({ lat: 0, lng: 0 }, 100), NOBODY],
  ],
  'near: across the date line, from both sides': [
    [near(SUVA, 6), 'dan eve'],
    [near({ ...SUVA, lng: -180 }, 6), 'dan eve'],
    [near({ ...SUVA, lng: 179.95 }, 6), 'dan'],
    [near({ ...SUVA, lng: 179.95 }, 12), 'dan eve'],
  ],
  'near: around the poles': [
    [near({ lat: 90, lng: 0 }, 4200), 'ann bob'],
    [near({ lat: -90, lng: 50 }, 6300), 'cid'],
  ],
  'seen_within: a device that registered, as apps do at launch, in these last days': [
    [{ seen_within: 1 }, 'bob eve fay'],
    [{ seen_within: 5 }, 'bob eve fay'],
    [{ seen_within: 5.05 }, 'bob cid dan eve fay'],
    [{ seen_within: '7' }, 'bob cid dan eve fay'],
    [{ seen_within: 3650 }, 'ann bob cid dan eve fay'],
  ],
  'not_seen_for: a device that did not': [
    [{ not_seen_for: 1 }, 'ann cid dan'],
    [{ not_seen_for: '5.05' }, 'ann'],
    [{ not_seen_for: 46 }, NOBODY],
  ],
  'registered_within: a device that registered for the first time in these last days': [
    [{ registered_within: 1 }, 'eve fay'],
    [{ registered_within: 6 }, 'cid dan eve fay'],
    [{ registered_within: 100 }, 'ann bob cid dan eve fay'],
  ],
  'where: one condition': [
    [{ where: { tag: 'vip' } }, 'ann bob fay'],
    [{ where: { type: 'offers' } }, 'cid dan'],
    [{ where: { alias: 'bob' } }, 'bob'],
    [{ where: { platform: '1' } }, 'bob dan fay'],
    [{ where: { platform: 0 } }, 'ann cid eve'],
    [{ where: near(BERLIN, 30) }, 'ann bob'],
    [{ where: { seen_within: 1 } }, 'bob eve fay'],
    [{ where: { not_seen_for: 30 } }, 'ann'],
    [{ where: { registered_within: '1' } }, 'eve fay'],
  ],
  'where: all, any and not of conditions': [
    [{ where: { all: [{ tag: 'vip' }, { tag: 'beta' }] } }, 'bob'],
    [{ where: { any: [{ tag: 'beta' }, { type: 'news' }] } }, 'ann bob cid'],
    [{ where: { not: { tag: 'vip' } } }, 'cid dan eve'],
    [{ where: { not: { not: { tag: 'vip' } } } }, 'ann bob fay'],
    [{ where: { all: [{ tag: 'vip' }, { not: { any: [{ tag: 'beta' }, { type: 'news' }] } }] } }, 'fay'],
    [{ where: { any: [{ all: [{ tag: 'beta' }, { platform: '0' }] }, near(SUVA, 50)] } }, 'cid dan eve'],
    [{ where: { any: [{ not_seen_for: 30 }, { registered_within: 1 }] } }, 'ann eve fay'],
    [{ where: { all: [{ tag: 'vip' }] } }, 'ann bob fay'],
  ],
  'where: a device without a location is nowhere': [
    [{ where: { not: near(BERLIN, 20_038) } }, 'fay'],
    [{ where: { all: [{ tag: 'vip' }, { not: near(BERLIN, 30) }] } }, 'fay'],
  ],
  'where: an unknown name is on nobody': [
    [{ where: { tag: 'unheard of' } }, NOBODY],
    [{ where: { any: [{ tag: 'unheard of' }, { alias: 'bob' }] } }, 'bob'],
    [{ where: { not: { type: 'unheard of' } } }, 'ann bob cid dan eve fay'],
    [{ where: { alias: 'unheard of' } }, NOBODY],
  ],
  'all of them narrow together, with the other filters': [
    [{ tags: 'vip', ...near(BERLIN, 27) }, 'ann bob'],
    [{ tags: 'vip', ...near(BERLIN, 27), platform: '1' }, 'bob'],
    [{ tags: 'vip', ...near(BERLIN, 27), not_seen_for: 30 }, 'ann'],
    [{ where: { tag: 'vip' }, except_tags: 'beta', seen_within: 1 }, 'fay'],
    [{ where: { tag: 'vip' }, alias: 'bob', registered_within: 100 }, 'bob'],
    [{ where: { platform: '0' }, platform: ['1'] }, NOBODY],
    [{ seen_within: 1, not_seen_for: 1 }, NOBODY],
  ],
  'null is absent': [[{ where: { tag: 'vip' }, near: null, seen_within: null, not_seen_for: null }, 'ann bob fay']],
}

testFilters(SENTENCES, reached)

describe('a segment', () => {
  test('makes a push conditional: platform, sound and badge are not required, something to send is', async () => {
    const message = 'msg is required, or sound, badge or payload.'
    for (const filter of [
      near(BERLIN, 1),
      { seen_within: 1 },
      { not_seen_for: 1 },
      { registered_within: 1 },
      { where: { tag: 'a' } },
    ]) {
      expect(await caller.post('/push/all', { ...filter, msg: 'Hello' })).toMatchObject({ status: 200 })
      expectFailure(await caller.post('/push/all', filter), 409, 'MissingParameter', message)
    }
  })

  test('follows a device that moves', async () => {
    const own = newCaller(service)
    const phone = { platform: '1', token: 'phone:traveller' }
    const isNear = async (place: object) => {
      const { body } = await own.post('/push/all', { ...near(place, 5), msg: 'Hello' })
      return (await arrivalsOf(service, body.id)).length === 1
    }
    await own.register(phone)
    expect(await isNear(BERLIN)).toBe(false)
    await own.put('/geo', { ...phone, ...BERLIN })
    expect(await isNear(BERLIN)).toBe(true)
    await own.register({ ...phone, lat: 52.55, lng: 13.405 })
    expect(await isNear(BERLIN)).toBe(true)
    await own.register({ ...phone, ...SUVA })
    expect([await isNear(BERLIN), await isNear({ ...SUVA, lng: -180 })]).toEqual([false, true])
    await own.register(phone)
    expect(await isNear(SUVA)).toBe(true)
    await own.put('/deviceToken/del', phone)
    await own.register(phone)
    expect(await isNear(SUVA)).toBe(false)
  })

  test('counts its days from the moment at which the push was accepted', async () => {
    const { body } = await caller.post('/push/all', { seen_within: 1, msg: 'Hello' })
    const stored = service.database.reading<{ audience: string }, [string]>('SELECT audience FROM push WHERE id = ?')
    expect(JSON.parse(stored.get(body.id)?.audience ?? '')).toMatchObject({
      filter: { seenWithinMs: DAY_MS, asOf: clock.now() },
    })
  })
})

describe('what cannot be read is 400, names its path and what is allowed, and nothing is stored:', () => {
  const count = () => service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n
  const send = (field: string) => (value: unknown) => caller.post('/push/all', { [field]: value, msg: 'Hello' })

  async function expectRefused(field: string, bad: readonly (readonly [value: unknown, message: string])[]) {
    const before = count()
    for (const [value, message] of bad) {
      const { status, body } = await send(field)(value)
      expect({ value, status, body }).toEqual({
        value,
        status: 400,
        body: { code: 'InvalidArgument', message: `${message}.` },
      })
    }
    expect(count()).toBe(before)
  }

  test('near', async () => {
    const object = 'near must be an object with lat, lng and radius_km, not'
    const radius = 'near.radius_km must be kilometres from 0.01 to 20038, not'
    const circle = { ...BERLIN, radius_km: 5 }
    await expectRefused('near', [
      ['', `${object} ""`],
      ['52.52,13.405', `${object} "52.52,13.405"`],
      [5, `${object} 5`],
      [[circle], `${object} an array`],
      [{ ...circle, radius: 5 }, 'near.radius is not known here: it has lat, lng and radius_km'],
      [{ ...circle, 'a b': 5 }, 'near["a b"] is not known here: it has lat, lng and radius_km'],
      [{ ...circle, radius_km: 0 }, `${radius} 0`],
      [{ ...circle, radius_km: 0.009 }, `${radius} 0.009`],
      [{ ...circle, radius_km: 20_038.1 }, `${radius} 20038.1`],
      [{ ...circle, radius_km: '-1' }, `${radius} "-1"`],
      [{ ...circle, radius_km: '1e3' }, `${radius} "1e3"`],
      [{ ...circle, radius_km: true }, `${radius} true`],
      [{ ...circle, radius_km: [5] }, `${radius} an array`],
    ])
    await expectInvalid((lat) => send('near')({ ...circle, lat }), 'near.lat', badDegrees(90))
    await expectInvalid((lng) => send('near')({ ...circle, lng }), 'near.lng', badDegrees(180))
  })

  test('near without one of its members is 409', async () => {
    const before = count()
    for (const member of ['lat', 'lng', 'radius_km']) {
      for (const value of [undefined, null, '']) {
        const answer = await send('near')({ ...BERLIN, radius_km: 5, [member]: value })
        expectFailure(answer, 409, 'MissingParameter', `near.${member} is required.`)
      }
    }
    expectFailure(
      await send('where')({ any: [{ near: {} }] }),
      409,
      'MissingParameter',
      'where.any[0].near.lat is required.',
    )
    expect(count()).toBe(before)
  })

  test.each(['seen_within', 'not_seen_for', 'registered_within'])('%s', async (field) => {
    const allowed = 'must be days from 1 to 3650, not'
    const bad: readonly (readonly [value: unknown, shown: string])[] = [
      ['', '""'],
      [0, '0'],
      [0.99, '0.99'],
      [-1, '-1'],
      [3650.1, '3650.1'],
      ['7d', '"7d"'],
      ['1e1', '"1e1"'],
      [true, 'true'],
      [[7], 'an array'],
      [{}, 'an object'],
    ]
    await expectRefused(
      field,
      bad.map(([value, shown]) => [value, `${field} ${allowed} ${shown}`]),
    )
    await expectRefused(
      'where',
      bad.map(([value, shown]) => [{ not: { [field]: value } }, `where.not.${field} ${allowed} ${shown}`]),
    )
  })

  test('where', async () => {
    const keys =
      'all, any, not, tag, type, alias, user, platform, app_version, near, seen_within, not_seen_for, registered_within'
    const object = `must be an object with one of ${keys}, not`
    const nested = (levels: number): object => (levels === 1 ? { tag: 'a' } : { not: nested(levels - 1) })
    const leaves = (number: number) => ({ any: Array.from({ length: number }, () => ({ tag: 'a' })) })
    await expectRefused('where', [
      ['', `where ${object} ""`],
      ['tag = vip', `where ${object} "tag = vip"`],
      [[{ tag: 'a' }], `where ${object} an array`],
      [{}, `where must have exactly one of ${keys}, not none`],
      [{ tag: 'a', type: 'b' }, `where must have exactly one of ${keys}, not 2 of them`],
      [{ tga: 'a' }, `where.tga is not known here: it must be one of ${keys}`],
      [{ tag: 'a', tga: 'a' }, `where.tga is not known here: it must be one of ${keys}`],
      [{ all: [{ tag: 'a' }, { tga: 'vip' }] }, `where.all[1].tga is not known here: it must be one of ${keys}`],
      [{ 'a"b': 1 }, `where["a\\"b"] is not known here: it must be one of ${keys}`],
      [{ constructor: 1 }, `where.constructor is not known here: it must be one of ${keys}`],
      [{ all: [] }, 'where.all must have at least one condition, not none'],
      [{ not: { any: [] } }, 'where.not.any must have at least one condition, not none'],
      [{ any: { tag: 'a' } }, 'where.any must be an array of conditions, not an object'],
      [{ all: [{ tag: 'a' }, null] }, `where.all[1] ${object} null`],
      [{ not: [{ tag: 'a' }] }, `where.not ${object} an array`],
      [{ tag: ['a'] }, 'where.tag must be a string, not an array'],
      [{ tag: null }, 'where.tag must be a string, not null'],
      [{ tag: '' }, 'where.tag must be 1 to 256 characters, not empty'],
      [{ any: [{ type: 5 }] }, 'where.any[0].type must be a string, not 5'],
      [{ alias: 'a\u0000' }, 'where.alias must not contain control characters'],
      [{ platform: '3' }, 'where.platform must be "0" (iOS), "1" (Android) or "2" (Web), not "3"'],
      [
        { all: [{ near: { ...BERLIN, radius_km: 0 } }] },
        'where.all[0].near.radius_km must be kilometres from 0.01 to 20038, not 0',
      ],
      [nested(17), `where${'.not'.repeat(16)} is nested too deeply: at most 16 levels are allowed`],
      [leaves(201), 'where.any[200].tag is too many: at most 200 conditions are allowed'],
    ])
    for (const where of [nested(16), leaves(200)]) {
      expect(await send('where')(where)).toMatchObject({ status: 200 })
    }
  })
})

describe('the preview of a segment', () => {
  test('counts whom the push would reach', async () => {
    for (const filter of [near(BERLIN, 27), { not_seen_for: 1 }, { where: { not: { tag: 'vip' } } }]) {
      const { body } = await caller.post('/push/preview', { ...filter, msg: 'Hello' })
      expect(body.t).toBe((await reached(filter)).split(' ').length)
    }
  })
})
