import { filterFields, isBroadcast, wantedFilterOf } from '../audience/filter-schema.ts'
import { unknownField } from '../audience/unknown-fields.ts'
import { platform, token } from '../device/device-fields.ts'
import { listOf, objectSchema, oneOf, text, time, uuid } from '../http/answer-schema.ts'
import { bodyOf, closed, missing, required } from '../http/fields.ts'
import type { Body, Given, Input } from '../http/fields.ts'
import { checkContent, contentFields, isNothing, notificationOf } from '../notification/content-schema.ts'
import { saysYes } from '../notification/option-fields.ts'
import { badge } from '../notification/options/badge.ts'
import { sound } from '../notification/options/sound.ts'
import { msg } from '../notification/options/text.ts'
import { looseFieldsToAll, looseFieldsToOne, refuseGeo } from './compat-fields.ts'
import { lifeFields, lifeFieldsOfOne, refuseLocal, whenOf } from './schedule/timing-schema.ts'

const fieldsToAll = { ...contentFields, ...filterFields, ...lifeFields }
const fieldsToOne = { ...contentFields, ...lifeFieldsOfOne }
const onPlatform = { platform: required(platform) }
const shownFields = { msg: required(msg.field), sound: required(sound.field), badge: required(badge.field) }

type InputToAll = Input<typeof fieldsToAll> & Input<typeof looseFieldsToAll>
type InputToOne = Input<typeof onPlatform & typeof fieldsToOne> & Input<typeof looseFieldsToOne>

/** Endpoint 11: a broadcast if nothing narrows it. */
function pushToAll({ token, tokens, schedule, ...input }: InputToAll, given: Given) {
  // `null`: all that the filter selects.
  const named = token === undefined && tokens === undefined ? null : [...(token ?? []), ...(tokens ?? [])]
  const filter = wantedFilterOf(input)
  const notification = notificationOf(input)
  if (isBroadcast(filter) && named === null) {
    const shown = notification.silent === true ? [] : (['msg', 'sound', 'badge'] as const)
    for (const name of ['platform', ...shown] as const) {
      if (input[name] === undefined) throw missing(name, ' for a broadcast')
    }
  } else if (isNothing(notification)) throw missing('msg', ', or sound, badge or payload')
  checkContent(notification)
  const { confirm = null, replace = false } = input
  return { filter, tokens: named, notification, when: whenOf({ ...input, schedule }), confirm, replace, given }
}

/** Endpoint 12. */
function pushToOne({ token, tokens = [], schedule, ...input }: InputToOne, given: Given) {
  const named = token === undefined ? tokens : [token, ...tokens]
  if (named.length === 0) throw missing('token')
  const notification = notificationOf(input)
  checkContent(notification)
  refuseLocal(given)
  const { platform, replace = false } = input
  return { platform, tokens: named, notification, when: whenOf({ ...input, schedule }), replace, given }
}

/** A silent push needn't mention what it must not show. */
function loudOrSilent<T>(loud: Body<T>, silent: Body<T>): Body<T> {
  return {
    schema: loud.schema,
    '~standard': {
      ...loud['~standard'],
      validate: (value) => (saysYes((value as Given)['silent']) ? silent : loud)['~standard'].validate(value),
    },
  }
}

const ONLY_TO_ONE = { token: 'is only for /push/one: /push/all selects devices by filters' }

function onlyToAll(fields: readonly string[]): Readonly<Record<string, string>> {
  const reason = 'is only for /push/all: /push/one goes to one device'
  return {
    ...Object.fromEntries(fields.map((name) => [name, reason])),
    send_at_local: 'is for /push/all; here it is send_at',
  }
}

/** `compat`: ignores unknown fields, and reads those of older clients. */
export function pushBodies({ compat }: { readonly compat: boolean }) {
  if (compat) {
    const toAll = bodyOf({ ...fieldsToAll, ...looseFieldsToAll }, (input, given) => {
      refuseGeo(given)
      return pushToAll(input, given)
    })
    const members = { ...onPlatform, ...looseFieldsToOne, ...fieldsToOne }
    const read = (input: InputToOne, given: Given) => {
      refuseGeo(given)
      return pushToOne(input, given)
    }
    return { toAll, toOne: loudOrSilent(bodyOf({ ...members, ...shownFields }, read), bodyOf(members, read)) }
  }
  const toAll = bodyOf(fieldsToAll, pushToAll)
  const members = { ...onPlatform, token: required(token), ...fieldsToOne }
  const toOne = loudOrSilent(bodyOf({ ...members, ...shownFields }, pushToOne), bodyOf(members, pushToOne))
  const [namesToAll, namesToOne] = [namesOf(toAll), namesOf(toOne)]
  const elsewhere = onlyToAll(namesToAll.filter((name) => !namesToOne.includes(name)))
  return {
    toAll: closed(toAll, (name) => unknownField(name, namesToAll, ONLY_TO_ONE)),
    toOne: closed(toOne, (name) => unknownField(name, namesToOne, elsewhere)),
  }
}

export type PushBodies = ReturnType<typeof pushBodies>

function namesOf({ schema }: Body<unknown>): string[] {
  return Object.keys(schema['properties'] as object)
}

export const passed = listOf(
  text(),
  'By local time: device time zones in which that time has passed. Absent if there are none.',
)

export const ACCEPTED = objectSchema(
  'PushAccepted',
  {
    message: oneOf(['Queued', 'Scheduled'], 'Scheduled: it is sent later, at `send_at`.', 'Queued'),
    id: uuid('What to ask for it, and to cancel it, by.', '019a9f7e-3c1b-7000-8000-000000000000'),
    send_at: time('When it goes out; by local time, when the first wave does. Absent: at once.'),
    passed,
  },
  ['send_at', 'passed'],
)

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
