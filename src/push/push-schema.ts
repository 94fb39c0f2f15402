import { platform, token } from '../http/common-fields.ts'
import { bodyOf, missing, required } from '../http/fields.ts'
import { badge, contentFields, isNothing, msg, notificationOf, sound } from './content-schema.ts'
import { filterFields, filterOf, isBroadcast } from './filter-schema.ts'

/** Endpoint 11: a broadcast when no filter field is present, else a conditional push. */
export const PushToAll = bodyOf({ ...contentFields, ...filterFields }, (input) => {
  const filter = filterOf(input)
  const notification = notificationOf(input)
  if (isBroadcast(filter)) {
    for (const name of ['platform', 'msg', 'sound', 'badge'] as const) {
      if (input[name] === undefined) throw missing(name, ' for a broadcast')
    }
  } else if (isNothing(notification)) throw missing('msg', ', or sound, badge or payload')
  return { filter, notification }
})

/** Endpoint 12. */
export const PushToOne = bodyOf(
  {
    platform: required(platform),
    token: required(token),
    ...contentFields,
    msg: required(msg),
    sound: required(sound),
    badge: required(badge),
  },
  (input) => ({ platform: input.platform, token: input.token, notification: notificationOf(input) }),
)
