import { describe, expect, test } from 'bun:test'
import { pushOfEvent, templateProblems } from '../../src/hook/push-of-event.ts'

const hook = (template: object, signature: 'standard' | 'github' | 'stripe' | null = null) => ({
  name: 'orders',
  template: JSON.stringify(template),
  signature,
})
const event = (body: object, headers: Readonly<Record<string, string>> = {}) => ({
  body: body as Readonly<Record<string, unknown>>,
  header: (name: string) => headers[name] ?? null,
})

const PAID = {
  where: { type: ['order.paid', 'order.settled'], 'data.total': { above: 1000 } },
  event: '{{ id }}',
  push: {
    users: ['{{ data.user }}'],
    title: 'Order {{ data.number }}',
    msg: 'Thank you, {{ data.name | default "you" }}.',
    sound: 'default',
    badge: '+1',
    payload: { order: { number: '{{ data.number }}' }, tags: ['shop', '{{ data.shop }}'], test: false },
  },
}
const order = {
  id: 'e1',
  type: 'order.paid',
  data: { total: 1500, user: 'ann', number: 17, shop: 'north' },
  card: '4242',
}

describe('a template', () => {
  test('makes a push of an event, of nothing but what it asks for', () => {
    const found = pushOfEvent(hook(PAID), event(order))
    expect(found).toMatchObject({
      kind: 'push',
      event: 'e1',
      body: {
        users: ['ann'],
        title: 'Order 17',
        msg: 'Thank you, you.',
        sound: 'default',
        badge: '+1',
        payload: { order: { number: '17' }, tags: ['shop', 'north'], test: false },
      },
    })
    expect(JSON.stringify(found)).not.toContain('4242')
  })

  test.each<[string, object, object, string]>([
    ['another value', { type: 'paid' }, { type: 'sent' }, 'type is not "paid"'],
    ['none of several', { type: ['paid', 1] }, { type: 'sent' }, 'type is not "paid" or 1'],
    ['a text for a number', { n: 5 }, { n: '5' }, 'n is not 5'],
    ['nothing', { n: 5 }, {}, 'n is not 5'],
    ['no more than', { n: { above: 5 } }, { n: 5 }, 'n is not above 5'],
    ['no more than, in text', { n: { above: 5 } }, { n: '5.0' }, 'n is not above 5'],
    ['no number to compare', { n: { above: 5 } }, { n: '6 €' }, 'n is not a number'],
    ['no text to compare', { n: { below: 5 } }, { n: [1] }, 'n is not a number'],
    ['no value to compare', { n: { below: 5 } }, {}, 'n is missing'],
    ['no less than', { n: { below: 5 } }, { n: 5 }, 'n is not below 5'],
    ['what it is not to be', { n: { not: ['a', null] } }, {}, 'n is null'],
    ['what is missing', { n: { exists: true } }, { n: null }, 'n is missing'],
    ['what is there', { n: { exists: false } }, { n: 0 }, 'n is there'],
    ['the second of two', { n: { above: 1, not: 3 } }, { n: 3 }, 'n is 3'],
    ['a header', { '@x-github-event': 'push' }, {}, '@x-github-event is not "push"'],
  ])('ignores an event with %s', (_, where, body, why) => {
    expect(pushOfEvent(hook({ ...PAID, where }), event(body))).toEqual({ kind: 'ignored', why })
  })

  test('compares a number that is sent as text, in a body or a header', () => {
    const where = { total: { above: 0, below: 1300 }, '@x-count': { above: 9 } }
    const push = { users: ['ann'], msg: 'Hi' }
    const sent = { body: { total: '1299.50' }, header: (name: string) => (name === 'x-count' ? '10' : null) }
    expect(pushOfEvent(hook({ where, push }), sent)).toMatchObject({ kind: 'push' })
  })

  test('takes null for what is missing', () => {
    const template = { where: { gone: null }, push: { platform: ['0'], msg: 'Hi', sound: '', badge: '' } }
    expect(pushOfEvent(hook(template), event({}))).toMatchObject({ kind: 'push', event: null })
  })

  test.each<[string, object, string]>([
    [
      'what it asks for is missing',
      { ...order, data: { total: 1500, user: 'ann' } },
      'push.title asks for data.number, which is missing',
    ],
    [
      'what it asks for is no text',
      { ...order, data: { ...order.data, number: { a: 1 } } },
      'push.title asks for data.number, which is an object, not a text or a number',
    ],
    [
      'it would address nobody',
      { ...order, data: { ...order.data, user: '' } },
      'push.users chooses the devices, and would be empty',
    ],
    [
      'it would address a blank',
      { ...order, data: { ...order.data, user: ' ' } },
      'push.users chooses the devices, and would be empty',
    ],
    ['its event has no name', { ...order, id: undefined }, 'event asks for id, which is missing'],
  ])('is refused where %s', (_, body, problem) => {
    expect(pushOfEvent(hook(PAID), event(body))).toMatchObject({
      kind: 'refused',
      why: { code: 'InvalidArgument', message: `The template of hook orders does not fit: ${problem}.` },
    })
  })

  // Without its filter, the push would go to everyone.
  test.each(['users', 'tags', 'alias', 'token', 'tokens'])('never goes to everybody for an empty %s', (field) => {
    const push = { platform: ['0', '1'], msg: 'Secret', sound: '', badge: '', [field]: '{{ to }}' }
    for (const to of ['', [], [''], ['ann', '']]) {
      expect(pushOfEvent(hook({ push }), event({ to })).kind).toBe('refused')
    }
    for (const to of [undefined, null, {}, [[]], [{}], [null]]) {
      expect(pushOfEvent(hook({ push }), event({ to })).kind).toBe('refused')
    }
  })

  test('is refused as the API refuses the push that comes of it', () => {
    const push = { users: ['ann'], msg: 'Hi', ttl: '{{ ttl }}' }
    expect(pushOfEvent(hook({ push }), event({ ttl: 'soon' }))).toMatchObject({
      kind: 'refused',
      why: { code: 'InvalidArgument', message: expect.stringContaining('ttl must be') },
    })
    expect(pushOfEvent(hook({ push }), event({ ttl: 60 }))).toMatchObject({ kind: 'push' })
  })

  test.each([
    ['standard', { 'webhook-id': 'msg_1' }, {}, 'msg_1'],
    ['github', { 'x-github-delivery': 'd1' }, {}, 'd1'],
    ['stripe', {}, { id: 'evt_1' }, 'evt_1'],
  ] as const)('tells events of %s apart by what it sends', (signature, headers, body, told) => {
    const push = { users: ['ann'], msg: 'Hi' }
    expect(pushOfEvent(hook({ push }, signature), event(body, headers))).toMatchObject({ kind: 'push', event: told })
  })

  test.each<[string, string | object, string[]]>([
    ['no JSON', '{', ['the template is not a JSON object']],
    ['a list', '[]', ['the template is not a JSON object']],
    ['too large', JSON.stringify({ push: { msg: 'x'.repeat(17_000) } }), ['the template is larger than 16384 bytes']],
    ['no push', {}, ['push must be an object: the body of /push/all']],
    [
      'another member',
      { push: { users: ['a'], msg: 'x' }, when: {} },
      ['"when" is not part of a template: where, event, push'],
    ],
    [
      'wrong conditions',
      { where: { 'a b': 1 }, push: { users: ['a'], msg: 'x' } },
      ['where: "a b" is not a path such as data.object.id, or a header such as @x-github-event'],
    ],
    [
      'conditions that are none',
      { where: { a: { over: 1 } }, push: { users: ['a'], msg: 'x' } },
      [
        'where.a must be a text, a number, true, false or null, a list of these, or an object of not, above, below and exists',
      ],
    ],
    [
      'where as a list',
      { where: [], push: { users: ['a'], msg: 'x' } },
      ['where must be an object of paths, such as {"type": "order.paid"}'],
    ],
    [
      'wrong placeholders',
      { event: '{{ | }}', push: { users: ['{{ a'], payload: { a: '{{ b | uper }}' } } },
      [
        'event: "" is not a path such as data.object.id, or a header such as @x-github-event',
        'push.users.0: a placeholder is not closed by }}',
        'push.payload.a: there is no filter "uper": upper, lower, truncate, number, divide, date, default. Did you mean upper?',
      ],
    ],
    [
      'a placeholder as a name',
      { push: { users: ['a'], payload: { '{{ a }}': 1 } } },
      ['push.payload: a placeholder cannot be a name'],
    ],
    [
      'an unknown field',
      { push: { user: ['{{ a }}'], msg: 'x' } },
      ['push.user is not known here. Did you mean users?'],
    ],
    ['a push that the API refuses', { push: { msg: 'x' } }, ['push.platform is required for a broadcast']],
  ])('with %s is not stored', (_, template, problems) => {
    expect(templateProblems(typeof template === 'string' ? template : JSON.stringify(template))).toEqual(
      problems.map((text) => (text.endsWith('?') ? text : `${text}.`)),
    )
  })
})
