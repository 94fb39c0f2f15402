import { listOf, objectSchema, shapeOf, text } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const SamplesAnswer = objectSchema('SamplesAnswer', {
  samples: listOf(shapeOf({ title: text('`iOS`'), code: listOf(text(), 'Each is a file.') })),
})
export type SamplesAnswer = AnswerOf<typeof SamplesAnswer>
