import { expect, test } from 'bun:test'
import schemas from '../../src/admin/answer-schemas.json' with { type: 'json' }
import { answerSchemas } from '../../scripts/build/answer-schemas.ts'

test('the schemas of answers are those of their types: else bun scripts/answer-schemas.ts', () => {
  expect<object>(schemas).toEqual(answerSchemas())
})
