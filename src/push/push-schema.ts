import { filterFields, isBroadcast, wantedFilterOf } from '../audience/filter-schema.ts'
import { unknownField } from '../audience/unknown-fields.ts'
import { platform, token } from '../device/device-fields.ts'
import { listOf, objectSchema, oneOf, text, time, uuid } from '../http/answer-schema.ts'
import { bodyOf, closed, missing, required } from '../http/fields.ts'
import type { Body, Given, Input } from '../http/fields.ts'
import { badge, msg, saysYes, sound } from '../notification/content-fields.ts'
import { checkContent, contentFields, isNothing, notificationOf } from '../notification/content-schema.ts'
import { looseFieldsToAll, looseFieldsToOne, refuseGeo } from './compat-fields.ts'
import { lifeFields, lifeFieldsOfOne, refuseLocal, whenOf } from './schedule/timing-schema.ts'
import type { When } from './schedule/timing-schema.ts'

const fieldsToAll = { ...contentFields, ...filterFields, ...lifeFields }

/** Endpoint 11: a broadcast when no filter field is present, else a conditional push. */
const toAll = bodyOf(fieldsToAll, (input, given) => pushToAll(input, given, {}))

const looseToAll = bodyOf({ ...fieldsToAll, ...looseFieldsToAll }, ({ token, tokens, schedule, ...input }, given) => {
  refuseGeo(given)
  const isNamed = token !== undefined || tokens !== undefined
  return pushToAll(input, given, { schedule, ...(isNamed && { tokens: [...(token ?? []), ...(tokens ?? [])] }) })
})

interface Loose {
  /** Only devices with these tokens; `null`: all that the filter leaves. */
  readonly tokens?: readonly string[] | null
  readonly schedule?: When | undefined
}

function pushToAll(input: Input<typeof fieldsToAll>, given: Given, { tokens = null, schedule }: Loose) {
  const filter = wantedFilterOf(input)
  const notification = notificationOf(input)
  if (isBroadcast(filter) && tokens === null) {
    const shown = notification.silent === true ? [] : (['msg', 'sound', 'badge'] as const)
    for (const name of ['platform', ...shown] as const) {
      if (input[name] === undefined) throw missing(name, ' for a broadcast')
    }
  } else if (isNothing(notification)) throw missing('msg', ', or sound, badge or payload')
  checkContent(notification)
  const { confirm = null, replace = false } = input
  return { filter, tokens, notification, when: whenOf({ ...input, schedule }), confirm, replace, given }
}

const fieldsToOne = { ...contentFields, ...lifeFieldsOfOne }
const shownFields = { msg: required(msg), sound: required(sound), badge: required(badge) }
const address = { platform: required(platform), token: required(token) }
const looseAddress = { platform: required(platform), ...looseFieldsToOne }

/** Endpoint 12. */
const toOne = loudOrSilent(
  bodyOf({ ...address, ...fieldsToOne, ...shownFields }, (input, given) => readToOne(input, given)),
  bodyOf({ ...address, ...fieldsToOne }, (input, given) => readToOne(input, given)),
)

const looseToOne = loudOrSilent(
  bodyOf({ ...looseAddress, ...fieldsToOne, ...shownFields }, (input, given) => readLooseToOne(input, given)),
  bodyOf({ ...looseAddress, ...fieldsToOne }, (input, given) => readLooseToOne(input, given)),
)

function readToOne({ token, ...input }: Input<typeof address & typeof fieldsToOne>, given: Given) {
  return pushToOne(input, given, { tokens: [token] })
}

function readLooseToOne(
  { token, tokens = [], schedule, ...input }: Input<typeof looseAddress & typeof fieldsToOne>,
  given: Given,
) {
  refuseGeo(given)
  const named = token === undefined ? tokens : [token, ...tokens]
  if (named.length === 0) throw missing('token')
  return pushToOne(input, given, { tokens: named, schedule })
}

function pushToOne(
  input: Input<Pick<typeof address, 'platform'> & typeof fieldsToOne>,
  given: Given,
  { tokens, schedule }: Loose & { readonly tokens: readonly string[] },
) {
  const notification = notificationOf(input)
  checkContent(notification)
  refuseLocal(given)
  const { platform, replace = false } = input
  return { platform, tokens, notification, when: whenOf({ ...input, schedule }), replace, given }
}

/** What a silent push must not show, it need not mention. */
function loudOrSilent<T>(loud: Body<T>, silent: Body<T>): Body<T> {
  return {
    schema: loud.schema,
    '~standard': {
      ...loud['~standard'],
      validate: (value) => (saysYes((value as Given)['silent']) ? silent : loud)['~standard'].validate(value),
    },
  }
}

/** What of /push/all a push to one device does not have: nothing narrows it. */
const ONLY_TO_ALL: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    namesOf(toAll)
      .filter((name) => !namesOf(toOne).includes(name))
      .map((name) => [name, 'is for /push/all: /push/one goes to the device of its token alone']),
  ),
  send_at_local: 'is for /push/all; here it is send_at',
}

const ONLY_TO_ONE = { token: 'is for /push/one: /push/all goes to everybody whom its filters leave' }

/** The bodies of /push/all and /push/one. `compat`: unknown fields are ignored, and some more are known. */
export function pushBodies({ compat }: { readonly compat: boolean }) {
  if (compat) return { toAll: looseToAll, toOne: looseToOne }
  return {
    toAll: closed(toAll, (name) => unknownField(name, namesOf(toAll), ONLY_TO_ONE)),
    toOne: closed(toOne, (name) => unknownField(name, namesOf(toOne), ONLY_TO_ALL)),
  }
}

export type PushBodies = ReturnType<typeof pushBodies>

function namesOf({ schema }: Body<unknown>): string[] {
  return Object.keys(schema['properties'] as object)
}

/** What a push is answered with. */
export const ACCEPTED = objectSchema(
  'PushAccepted',
  {
    message: oneOf(['Queued', 'Scheduled'], 'Scheduled: it is sent later, at `send_at`.', 'Queued'),
    id: uuid('What to ask for it, and to cancel it, by.', '019a9f7e-3c1b-7000-8000-000000000000'),
    send_at: time('When it goes out; by local time, when the first wave does. Absent: at once.'),
    passed: listOf(text(), 'By local time: the time zones of devices in which that time is over. Absent: none.'),
  },
  ['send_at', 'passed'],
)

/** Bodies of /push/all. */
export const PUSH_EXAMPLES = {
  some: {
    summary: 'To those with a tag',
    value: {
      platform: ['0', '1'],
      msg: 'Hello',
      sound: 'default',
      badge: '+1',
      tags: ['beta'],
      payload: { article: 17 },
    },
  },
  everybody: {
    summary: 'To everybody',
    value: { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '' },
  },
  rich: {
    summary: 'A picture, a link and a button, to a segment, in an hour',
    value: {
      title: 'Your order is on its way',
      msg: 'Anna brings it between 9 and 10.',
      image: 'https://shop.example/orders/17.jpg',
      link: 'shop:orders/17',
      category: 'ORDER',
      thread: 'orders',
      collapse: 'order-17',
      sound: 'default',
      badge: '+1',
      channel: 'orders',
      interruption: 'time-sensitive',
      ttl: 14_400,
      payload: { order: 17 },
      active: ['orders'],
      except_tags: ['muted'],
      where: {
        any: [{ near: { lat: 52.52, lng: 13.405, radius_km: 25 } }, { all: [{ tag: 'beta' }, { seen_within: 7 }] }],
      },
      send_at: 3600,
    },
  },
}
