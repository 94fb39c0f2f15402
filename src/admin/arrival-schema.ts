import { bodyOf, describedAs, fieldOf, required, wholeNumber } from '../http/fields.ts'
import type { Body } from '../http/fields.ts'
import type { MoveRequest } from '../move/move-messages.ts'

const MAX = Number.MAX_SAFE_INTEGER

const text = fieldOf({ type: 'string', minLength: 1, maxLength: 200 }, 'a string of at most 200 characters', (value) =>
  typeof value === 'string' && value.length <= 200 ? value : undefined,
)

const names = fieldOf({ type: 'array', items: { type: 'string' } }, 'a list of names', (value) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined,
)

export const NewArrival: Body<MoveRequest> = bodyOf({
  schema: required(describedAs('The number of the last migration: the same here.', wholeNumber(1, MAX))),
  version: required(text),
  id: required(text),
  name: required(text),
  hooks: required(names),
  bytes: required(describedAs('What its rows take, about.', wholeNumber(0, MAX))),
})
