import type { JsonSchema } from '../http/fields.ts'
import ANSWERS from './answer-schemas.json' with { type: 'json' }

/** A type in `api-types` that something is answered with. */
export type AnswerName = keyof typeof ANSWERS

/** The schema with those inside of it, each with its title: the document makes components of them. */
export function answerSchema(name: AnswerName): JsonSchema {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as JsonSchema
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, whole(one)]))
    return { ...answerSchema($ref.slice($ref.lastIndexOf('/') + 1) as AnswerName), ...rest }
  }
  return { title: name, ...(whole(ANSWERS[name]) as JsonSchema) }
}
