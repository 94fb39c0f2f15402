import { platform, token } from '../http/common-fields.ts'
import { bodyOf, missing, required } from '../http/fields.ts'
import type { Given, Input } from '../http/fields.ts'
import { badge, msg, saysYes, sound } from './content-fields.ts'
import { checkContent, contentFields, isNothing, notificationOf } from './content-schema.ts'
import { filterFields, filterOf, isBroadcast } from './filter-schema.ts'
import { lifeFields, lifeFieldsOfOne, refuseLocal, whenOf } from './life-schema.ts'

/** Endpoint 11: a broadcast when no filter field is present, else a conditional push. */
export const PushToAll = bodyOf({ ...contentFields, ...filterFields, ...lifeFields }, (input, given) => {
  const filter = filterOf(input)
  const notification = notificationOf(input)
  if (isBroadcast(filter)) {
    const shown = notification.silent === true ? [] : (['msg', 'sound', 'badge'] as const)
    for (const name of ['platform', ...shown] as const) {
      if (input[name] === undefined) throw missing(name, ' for a broadcast')
    }
  } else if (isNothing(notification)) throw missing('msg', ', or sound, badge or payload')
  checkContent(notification)
  const { confirm = null, replace = false } = input
  return { filter, notification, when: whenOf(input), confirm, replace, given }
})

const address = { platform: required(platform), token: required(token) }
const oneLoud = bodyOf(
  {
    ...address,
    ...contentFields,
    ...lifeFieldsOfOne,
    msg: required(msg),
    sound: required(sound),
    badge: required(badge),
  },
  (input, given) => pushToOne(input, given),
)
const oneSilent = bodyOf({ ...address, ...contentFields, ...lifeFieldsOfOne }, (input, given) =>
  pushToOne(input, given),
)

/** Endpoint 12. What a silent push must not show, it need not mention. */
export const PushToOne: typeof oneLoud = {
  schema: oneLoud.schema,
  '~standard': {
    ...oneLoud['~standard'],
    validate(value) {
      const { silent } = value as Given
      return (saysYes(silent) ? oneSilent : oneLoud)['~standard'].validate(value)
    },
  },
}

function pushToOne(input: Input<typeof address & typeof contentFields & typeof lifeFieldsOfOne>, given: Given) {
  const notification = notificationOf(input)
  checkContent(notification)
  refuseLocal(given)
  const { platform, token, replace = false } = input
  return { platform, token, notification, when: whenOf(input), replace, given }
}
