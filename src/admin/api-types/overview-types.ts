import { count, yesOrNo, listOf, objectSchema, oneOf, orNull, shapeOf, text } from '../../http/answer-schema.ts'
import type { AnswerSchema, AnswerOf } from '../../http/answer-schema.ts'
import { PLATFORM, PLATFORMS } from '../../platform.ts'
import type { PlatformLabel } from '../../platform.ts'
import { ApplicationName } from './application-types.ts'
import { pushOfApplication } from './push-types.ts'

export const OverviewDay = objectSchema('OverviewDay', {
  day: text('`2026-11-22`'),
  addressed: count('Notifications addressed and accepted; opens and arrivals reported by apps.'),
  accepted: count(),
  opened: count(),
  received: count(),
  registered: orNull(
    count(
      'Devices that registered for the first time or were imported. The day may start up to an hour late. `null`: not counted yet.',
    ),
  ),
  lost: count('Devices that a gateway reported as unregistered on this day.'),
})
export type OverviewDay = AnswerOf<typeof OverviewDay>

const byPlatform = Object.fromEntries(PLATFORMS.map((platform) => [PLATFORM[platform].label, count()])) as Readonly<
  Record<PlatformLabel, AnswerSchema<number>>
>

/** Up to a few minutes old. */
export const OverviewDevices = objectSchema('OverviewDevices', {
  total: count('In whatever state.'),
  byPlatform: { ...shapeOf(byPlatform), description: 'Registered ones.' },
  byState: shapeOf({
    registered: count(),
    gone: count('Their gateway reported them as unregistered; still stored.'),
    quarantined: count('Their gateway refused the token; still stored.'),
  }),
  isWhole: yesOrNo('`false`: the last count was interrupted; these are from the one before.'),
})
export type OverviewDevices = AnswerOf<typeof OverviewDevices>

export const AttentionPoint = objectSchema('AttentionPoint', {
  level: oneOf(['error', 'warning']),
  text: text(),
  fix: orNull(text('What to do.')),
  application: orNull({ ...ApplicationName, description: '`null`: the service as a whole.' }),
})
export type AttentionPoint = AnswerOf<typeof AttentionPoint>

export const OverviewAnswer = objectSchema('OverviewAnswer', {
  version: text(),
  days: listOf(OverviewDay, 'The last days (UTC), today last, including days without activity.'),
  devices: OverviewDevices,
  attention: listOf(AttentionPoint, 'Errors first, then credentials.'),
  scheduled: listOf(shapeOf(pushOfApplication), 'The next 5 of all applications, soonest first.'),
  pushes: listOf(shapeOf(pushOfApplication), 'The last 5 of all applications.'),
})
export type OverviewAnswer = AnswerOf<typeof OverviewAnswer>
