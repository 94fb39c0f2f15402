import {
  anything,
  count,
  listOf,
  mapOf,
  objectSchema,
  oneOf,
  orNull,
  shapeOf,
  text,
  time,
} from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const HookCallView = shapeOf({
  at: time('Of several in a row that ended alike, the last.'),
  outcome: oneOf(['pushed', 'ignored', 'refused']),
  detail: text('The ID of the push, or why there was none.'),
  repeats: count('Calls in a row that ended like this.'),
})
export type HookCallView = AnswerOf<typeof HookCallView>

export const HookView = objectSchema('HookView', {
  name: text('Of the path /hook/NAME.'),
  template: text('JSON.'),
  signature: orNull(oneOf(['standard', 'github', 'stripe'], 'How calls are signed; `null`: they have a key.')),
  changedAt: time(),
  calls: listOf(HookCallView, 'The last 50, newest first.'),
})
export type HookView = AnswerOf<typeof HookView>

export const HooksAnswer = objectSchema('HooksAnswer', { hooks: listOf(HookView) })
export type HooksAnswer = AnswerOf<typeof HooksAnswer>

/** `PUT /api/applications/:id/hooks/:hook` */
export interface HookRequest {
  /** JSON */
  readonly template: string
  /** `standard`, `github` or `stripe`. Default: unchanged, or a key in the path. */
  readonly signature?: string
  /** The sender's signing secret. Required with `signature`. */
  readonly secret?: string
  /** Replaces the key. */
  readonly newKey?: boolean
  /** Refused if there is a hook of this name. */
  readonly isNew?: boolean
}

export const SetHookAnswer = objectSchema('SetHookAnswer', {
  hook: HookView,
  path: text('Where calls go. Only this answer contains a new key.'),
})
export type SetHookAnswer = AnswerOf<typeof SetHookAnswer>

/** `POST /api/applications/:id/hooks/preview` */
export interface HookPreviewRequest {
  readonly template: string
  readonly signature?: string
  readonly example: string
  readonly headers?: Readonly<Record<string, string>>
}

export const HookPreviewAnswer = objectSchema('HookPreviewAnswer', {
  outcome: oneOf(['pushed', 'ignored', 'refused']),
  why: orNull(text('Why there would be no push.')),
  body: orNull(mapOf(anything(), 'The push, as /push/all takes it.')),
  event: orNull(text('What tells the event from others; `null`: each call would be a push.')),
  devices: orNull(count('How many would get it now.')),
})
export type HookPreviewAnswer = AnswerOf<typeof HookPreviewAnswer>
