import {
  count,
  yesOrNo,
  listOf,
  number,
  objectSchema,
  oneOf,
  orNull,
  shapeOf,
  text,
  time,
} from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'
import { PROVIDERS } from '../../platform.ts'
import type { ProviderName } from '../../platform.ts'
import { CredentialView, ProviderState } from './credential-types.ts'

const name = { id: text(), name: text() }
export const ApplicationName = objectSchema('ApplicationName', name)
export type ApplicationName = AnswerOf<typeof ApplicationName>

const providers = Object.fromEntries(PROVIDERS.map((provider) => [provider, ProviderState])) as Readonly<
  Record<ProviderName, typeof ProviderState>
>
const summary = {
  ...name,
  simulated: yesOrNo('Pushes go to the built-in simulator.'),
  devices: count('In whatever state.'),
  acceptedToday: count('Notifications that gateways accepted since midnight UTC.'),
  providers: shapeOf(providers),
}
export const ApplicationSummary = objectSchema('ApplicationSummary', summary)
export type ApplicationSummary = AnswerOf<typeof ApplicationSummary>

/** Moved to another server, or moving. */
const MovedApplication = objectSchema('MovedApplication', {
  ...name,
  where: text('As the end of a sentence: has moved to https://push.example.com.'),
})

/** In order of creation; `elsewhere` by name. */
export const ApplicationsAnswer = objectSchema('ApplicationsAnswer', {
  applications: listOf(ApplicationSummary),
  elsewhere: listOf(MovedApplication),
})
export type ApplicationsAnswer = AnswerOf<typeof ApplicationsAnswer>

export const NewApplicationAnswer = objectSchema('NewApplicationAnswer', { ...name, secret: text() })
export type NewApplicationAnswer = AnswerOf<typeof NewApplicationAnswer>

/**
 * As in `bellhop app limits`. Rates are calls per second, 0 = unlimited; 0 turns `confirmAbove` and `holdSeconds` off.
 */
export const ApplicationLimits = objectSchema('ApplicationLimits', {
  rate: number(),
  burst: count(),
  backendRate: number(),
  backendBurst: count(),
  quota: count(),
  quotaPeriod: oneOf(['day', 'month']),
  confirmAbove: count('A push to more devices than this must state their number.'),
  holdSeconds: count('Seconds during which a push to many can be cancelled.'),
  maxLabels: count(),
  maxDevices: count(),
  pushId: yesOrNo('Whether the payload carries the id of the push.'),
  secretEverywhere: yesOrNo('Whether every call needs the secret.'),
  verifyUsers: yesOrNo('Whether a user or alias that comes without the secret must be proven.'),
  adoptImported: orNull(
    yesOrNo(
      'Whether a new token takes the place of an imported device of its user; null: with the first import of users.',
    ),
  ),
})
export type ApplicationLimits = AnswerOf<typeof ApplicationLimits>

export const ApplicationAnswer = objectSchema('ApplicationAnswer', {
  ...summary,
  limits: ApplicationLimits,
  labels: count('Tags and types.'),
  credentials: listOf(CredentialView),
  webhook: orNull(
    shapeOf({
      url: text('For a token below `operate` only its origin.'),
      events: listOf(text()),
      disabledAt: orNull(time()),
    }),
  ),
  userKey: orNull(shapeOf({ createdAt: time(), previousUntil: orNull(time()) })),
  use: {
    ...shapeOf({ used: count(), quota: count(), endsAt: time() }),
    description: 'Calls in the current period. `quota` 0: no limit.',
  },
})
export type ApplicationAnswer = AnswerOf<typeof ApplicationAnswer>

/** `POST /api/applications/:id/rotate-secret`. `overlapSeconds`: how long the old secret stays valid; default 0. */
export interface RotateSecretRequest {
  readonly overlapSeconds?: number
}

export const NewSecretAnswer = objectSchema('NewSecretAnswer', {
  secret: text(),
  previousUntil: orNull(time('How long the old one stays valid. `null`: it no longer works.')),
})
export type NewSecretAnswer = AnswerOf<typeof NewSecretAnswer>

/** `erasing`: continues in the background; the application is listed until it is done. */
export const DeleteApplicationAnswer = objectSchema('DeleteApplicationAnswer', { state: oneOf(['erased', 'erasing']) })
export type DeleteApplicationAnswer = AnswerOf<typeof DeleteApplicationAnswer>
