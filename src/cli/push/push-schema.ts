import { filterFields, wantedFilterOf } from '../../audience/filter-schema.ts'
import { bodyOf, missing } from '../../http/fields.ts'
import { checkContent, contentFields, isNothing, notificationOf } from '../../notification/content-schema.ts'
import { lifeFields, whenOf } from '../../push/schedule/timing-schema.ts'

const { send_at, send_at_local, confirm } = lifeFields

/** As for POST /push/all, but flags name the target. */
export const PushFields = bodyOf({ ...contentFields, ...filterFields, send_at, send_at_local, confirm }, (input) => {
  const notification = notificationOf(input)
  if (isNothing(notification)) throw missing('msg', ', or a --title, a --badge or a --payload')
  checkContent(notification)
  return { notification, filter: wantedFilterOf(input), when: whenOf(input), confirm: input.confirm ?? null }
})
