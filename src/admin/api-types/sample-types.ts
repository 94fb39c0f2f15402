import { listOf, objectSchema, shapeOf, text } from '../../http/answer-schema.ts'
import type { AnswerOf } from '../../http/answer-schema.ts'

export const SamplesAnswer = objectSchema('SamplesAnswer', {
  samples: listOf(
    shapeOf({
      title: text('`iOS`'),
      page: text('`ios`: the page of the manual that it is from.'),
      code: listOf(text(), 'Each is a file.'),
    }),
  ),
})
export type SamplesAnswer = AnswerOf<typeof SamplesAnswer>
