import { describe, expect, test } from 'bun:test'
import { fileService } from '../../support/file-service.ts'
import { newCaller } from '../../support/caller.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { expectFailure } from '../../support/refusals.ts'

const DEVICE = { token: '3f8a'.repeat(16), platform: '0' }
const HELLO = { msg: 'Hello', sound: '', badge: '' }
const BROADCAST = { platform: ['0', '1'], ...HELLO }
const ONE = { ...DEVICE, ...HELLO }

const clock = createFakeClock()
const service = await fileService({ clock })
const caller = newCaller(service)
await caller.register(DEVICE)

function pushes(): number {
  return service.database.reading<{ n: number }, []>('SELECT count(*) AS n FROM push').get()?.n ?? 0
}

const ONE_ONLY = 'token is only for /push/one: /push/all selects devices by filters.'
const forAll = (field: string) => `${field} is only for /push/all: /push/one goes to one device.`

/** A field that /push/all does not have, and what is said of it. */
const MISTAKES: readonly (readonly [field: string, message: string])[] = [
  ['tag', 'tag is not known here. Did you mean tags?'],
  ['Tags', 'Tags is not known here. Did you mean tags?'],
  ['tgas', 'tgas is not known here. Did you mean tags?'],
  ['excepttags', 'excepttags is not known here. Did you mean except_tags?'],
  ['exceptTags', 'exceptTags is not known here. Did you mean except_tags?'],
  ['expect_tags', 'expect_tags is not known here. Did you mean except_tags?'],
  ['send_att', 'send_att is not known here. Did you mean send_at?'],
  ['sendAtLocal', 'sendAtLocal is not known here. Did you mean send_at_local?'],
  ['PLATFORM', 'PLATFORM is not known here. Did you mean platform?'],
  ['confrim', 'confrim is not known here. Did you mean confirm?'],
  // What other services call it.
  ['segment', 'segment is not known here. Did you mean where?'],
  ['included_segments', 'included_segments is not known here. Did you mean where?'],
  ['filters', 'filters is not known here. Did you mean where?'],
  ['topic', 'topic is not known here. Did you mean tags?'],
  ['channels', 'channels is not known here. Did you mean tags?'],
  ['data', 'data is not known here. Did you mean payload?'],
  ['message', 'message is not known here. Did you mean msg?'],
  ['body', 'body is not known here. Did you mean msg?'],
  ['send_after', 'send_after is not known here. Did you mean send_at?'],
  ['schedule', 'schedule is not known here. Did you mean send_at?'],
  ['geo', 'geo is not known here. Did you mean near?'],
  ['time_to_live', 'time_to_live is not known here. Did you mean ttl?'],
  // What is another call's.
  ['token', ONE_ONLY],
  ['tokens', `tokens is not known here. ${ONE_ONLY}`],
  ['registration_ids', `registration_ids is not known here. ${ONE_ONLY}`],
  ['current_alias', 'current_alias is not known here. Did you mean alias?'],
]

describe('a field that a push does not have', () => {
  test.each(MISTAKES)('%s is 400, and nobody gets anything', async (field, message) => {
    const before = pushes()
    for (const value of ['x', ['x'], 5, {}, '', [], false]) {
      const answer = await caller.post('/push/all', { ...BROADCAST, [field]: value })
      expectFailure(answer, 400, 'InvalidArgument', message)
    }
    if (field !== 'token') {
      const answer = await caller.post('/push/preview', { ...BROADCAST, [field]: 'x' })
      expectFailure(answer, 400, 'InvalidArgument', message)
    }
    expect(pushes()).toBe(before)
  })

  test('is 400 before anything else that is wrong, or missing since it is misspelled', async () => {
    const misspelled = { plattform: '0', msg: 5 }
    const message = 'plattform is not known here. Did you mean platform?'
    for (const path of ['/push/all', '/push/one', '/push/preview']) {
      expectFailure(await caller.post(path, misspelled), 400, 'InvalidArgument', message)
    }
  })

  test('that is like none is 400 with those that are known', async () => {
    const answer = await caller.post('/push/all', { ...BROADCAST, colour: 'red' })
    expect(answer.body.message).toStartWith(
      'colour is not known here. Known are msg, sound, badge, payload, title, subtitle,',
    )
    expect(answer.body.message).toContain(' tags, tags_match, except_tags,')
    expect(answer.body.message).toEndWith(', confirm, replace.')
    expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidArgument' } })
    const one = await caller.post('/push/one', { ...ONE, colour: 'red' })
    expect(one.body.message).toStartWith('colour is not known here. Known are platform, token, msg,')
    expect(one.body.message).not.toContain('tags')
  })

  test('whose name is long or strange is shown, and not repeated', async () => {
    const names: readonly (readonly [name: string, shown: string])[] = [
      ['x'.repeat(5000), 'A field whose name is a string of 5000 characters'],
      ['a b', 'A field whose name is "a b"'],
      ['', 'A field whose name is ""'],
      ['\u0000', 'A field whose name is "\\u0000"'],
      ['constructor', 'constructor'],
      ['__proto__', '__proto__'],
      ['toString', 'toString'],
    ]
    for (const [name, shown] of names) {
      const body = `{"platform":["0"],"msg":"x","sound":"","badge":"",${JSON.stringify(name)}:1}`
      const answer = await caller.post('/push/all', body)
      expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidArgument' } })
      expect(answer.body.message).toStartWith(`${shown} is not known here. Known are `)
    }
  })

  test('whose name fills the body holds nobody up', async () => {
    const name = 'x'.repeat(250_000)
    const cost = async (body: object) => {
      const before = process.cpuUsage()
      expect((await service.post('/push/all', body)).status).toBe(400)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    let usual = 0
    for (let n = 0; n < 20; n++) usual += await cost({ ...BROADCAST, msg: name })
    // Beside bodies as large that are refused for another reason. To hold it against every field that there is would
    // cost ten thousand times as much as one of them.
    expect(await cost({ ...BROADCAST, [name]: 1 })).toBeLessThan(usual)
  })

  test('is absent where it is null, as everywhere', async () => {
    const nulls = { tag: null, token: null, colour: null }
    expect(await caller.post('/push/all', { ...BROADCAST, ...nulls })).toMatchObject({ status: 200 })
    expect(await caller.post('/push/one', { ...ONE, tags: null, colour: null })).toMatchObject({ status: 200 })
    const preview = await caller.post('/push/preview', { ...BROADCAST, ...nulls })
    expect(preview).toMatchObject({ status: 200, body: { t: 1 } })
  })
})

describe('a field of /push/all in /push/one', () => {
  test('is 400, since it would narrow nothing there', async () => {
    const before = pushes()
    const narrowing = ['tags', 'tags_match', 'except_tags', 'active', 'except_active', 'alias', 'Alias', 'except_alias']
    const more = ['near', 'seen_within', 'not_seen_for', 'registered_within', 'where', 'confirm']
    for (const field of [...narrowing, ...more]) {
      for (const path of ['/push/one', '/push/preview']) {
        const answer = await caller.post(path, { ...ONE, [field]: 'x' })
        expectFailure(answer, 400, 'InvalidArgument', forAll(field))
      }
    }
    const tag = await caller.post('/push/one', { ...ONE, tag: 'x' })
    expectFailure(tag, 400, 'InvalidArgument', `tag is not known here. ${forAll('tags')}`)
    const local = await caller.post('/push/one', { ...ONE, send_at_local: '2026-12-24T09:00' })
    expectFailure(local, 400, 'InvalidArgument', 'send_at_local is for /push/all; here it is send_at.')
    expect(pushes()).toBe(before)
  })

  test('tokens is 400 there, and so is what others call it', async () => {
    for (const name of ['tokens', 'Token', 'device_token', 'registration_id', 'to']) {
      const answer = await caller.post('/push/one', { ...ONE, [name]: DEVICE.token })
      expectFailure(answer, 400, 'InvalidArgument', `${name} is not known here. Did you mean token?`)
    }
  })
})

describe('POST /push/preview', () => {
  test('with an empty token is refused as /push/one is, and previews nobody else', async () => {
    const answer = await caller.post('/push/preview', { ...ONE, token: '' })
    expectFailure(answer, 409, 'MissingParameter', 'token is required.')
  })
})

describe('POST /push/{id}/cancel', () => {
  test('takes no fields: who asks to cancel a part is not to cancel all of it', async () => {
    const { body } = await caller.post('/push/all', { ...BROADCAST, send_at: 600 })
    for (const part of [{ platform: '0' }, { tags: ['x'] }, { reason: 'x' }]) {
      const answer = await caller.post(`/push/${body.id}/cancel`, part)
      const [field] = Object.keys(part)
      expectFailure(
        answer,
        400,
        'InvalidArgument',
        `${field} is unknown here: a push can only be cancelled as a whole.`,
      )
    }
    expect((await caller.get(`/push/${body.id}`)).body.state).toBe('scheduled')
    expect(await caller.post(`/push/${body.id}/cancel`, { platform: null })).toMatchObject({ status: 200 })
    expect(await caller.post(`/push/${body.id}/cancel`, undefined)).toMatchObject({ status: 200 })
  })
})

describe('every field that a push has', () => {
  test('is known still, in /push/all, /push/one and the preview', async () => {
    const shared = {
      ...HELLO,
      payload: { a: 1 },
      title: 't',
      subtitle: 's',
      image: 'https://x.example/i.png',
      category: 'c',
      thread: 't',
      collapse: 'c',
      ttl: 60,
      priority: 'high',
      silent: false,
      mutable: true,
      interruption: 'active',
      channel: 'c',
      link: 'shop:1',
      apns: {},
      fcm: {},
      send_at: 60,
    }
    const filters = {
      tags: ['x'],
      tags_match: 'any',
      except_tags: ['y'],
      active: ['x'],
      except_active: ['y'],
      alias: 'x',
      Alias: 'x',
      except_alias: 'y',
      near: { lat: 1, lng: 2, radius_km: 3 },
      seen_within: 1,
      not_seen_for: 1,
      registered_within: 1,
      where: { tag: 'x' },
      confirm: 1,
    }
    const { application } = caller
    const headers = { 'idempotency-key': 'every-field' }
    const all = { platform: ['0'], ...shared, ...filters, replace: true }
    expect(await service.post('/push/all', all, { application, headers })).toMatchObject({ status: 200 })
    const local = { platform: ['0'], ...shared, send_at: null, send_at_local: '2030-01-01T09:00' }
    expect((await caller.post('/push/all', local)).body.message).not.toContain('known')
    const one = { ...DEVICE, ...shared, replace: true }
    const headersOfOne = { 'idempotency-key': 'every-field-of-one' }
    expect(await service.post('/push/one', one, { application, headers: headersOfOne })).toMatchObject({ status: 200 })
    for (const body of [all, one]) {
      expect(await caller.post('/push/preview', body)).toMatchObject({ status: 200 })
    }
  })
})

describe('the description', () => {
  test('says that a push has no other fields', async () => {
    const { paths } = (await service.get('/openapi.json')).body
    for (const path of ['/push/all', '/push/one', '/push/preview']) {
      const { schema } = paths[path].post.requestBody.content['application/json']
      expect([path, schema.additionalProperties]).toEqual([path, false])
    }
  })
})
