import {
  count,
  listOf,
  number,
  objectSchema,
  oneOf,
  orNull,
  platformSchema,
  shapeOf,
  text,
  time,
} from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const DeviceView = objectSchema('DeviceView', {
  device: count('What `…/devices/:device` takes.'),
  token: text(),
  platform: platformSchema,
  state: oneOf(['registered', 'gone', 'quarantined']),
  alias: orNull(text()),
  user: orNull(text()),
  tag: listOf(text()),
  active: listOf(text()),
  lat: orNull(number()),
  lng: orNull(number()),
  badge: count(),
  fcmPlatform: orNull(
    oneOf(['android', 'ios'], 'Of what is sent to through FCM; `null`: not known, or another platform.'),
  ),
  facts: listOf(
    shapeOf({ name: text(), label: text(), value: orNull(text()) }),
    'Further fields of the device, by name and label. `null`: unknown.',
  ),
  registeredAt: time(),
  seenAt: time(),
  updatedAt: time(),
})
export type DeviceView = AnswerOf<typeof DeviceView>

/**
 * At most 50 devices. `q`: a token or its first 8 or more characters, or an exact alias, user or tag. `by`: which of
 * these matched.
 */
export const DeviceSearchAnswer = objectSchema('DeviceSearchAnswer', {
  by: orNull(oneOf(['token', 'alias', 'user', 'tag'])),
  devices: listOf(DeviceView),
})
export type DeviceSearchAnswer = AnswerOf<typeof DeviceSearchAnswer>

/** At most 100 users, ordered by the bytes of their IDs. `next`: `after` for the next page. */
export const UsersAnswer = objectSchema('UsersAnswer', {
  users: listOf(
    shapeOf({
      user: text(),
      registered: count('Registered devices.'),
      left: count('Devices that a gateway reported as unregistered or whose token it refused, still stored.'),
    }),
  ),
  next: orNull(text()),
})
export type UsersAnswer = AnswerOf<typeof UsersAnswer>

/** `next`: `before` for the next page. A page may have fewer devices than others, or none. */
export const DevicesAnswer = objectSchema('DevicesAnswer', { devices: listOf(DeviceView), next: orNull(text()) })
export type DevicesAnswer = AnswerOf<typeof DevicesAnswer>

const pushThere = {
  push: text(),
  title: orNull(text()),
  createdAt: time(),
  verdict: text('As in `GET /push/{id}/device`.'),
  explanation: text(),
  reason: orNull(text()),
  at: orNull(time()),
}

export const DeviceAnswer = objectSchema('DeviceAnswer', {
  device: DeviceView,
  pushes: listOf(
    shapeOf(pushThere),
    "The outcome of the application's last 20 pushes for this device, newest first, without those for others.",
  ),
})
export type DeviceAnswer = AnswerOf<typeof DeviceAnswer>

export const UserAnswer = objectSchema('UserAnswer', {
  user: text(),
  devices: listOf(DeviceView, 'At most 50.'),
  pushes: listOf(
    shapeOf({ ...pushThere, device: count('`device` of one of the devices.') }),
    "The outcome of the application's last 20 pushes on the first 10 devices, newest first.",
  ),
})
export type UserAnswer = AnswerOf<typeof UserAnswer>
