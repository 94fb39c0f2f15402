import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'

const MAX_ACTION_CHARACTERS = 64
const CONTROL = /\p{Cc}/u

/** The name of a button: as a push gives it, and as the app reports that it was chosen. */
export const actionName: Field<string> = {
  schema: { type: 'string', minLength: 1, maxLength: MAX_ACTION_CHARACTERS },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
    if (value.length > MAX_ACTION_CHARACTERS && Array.from(value).length > MAX_ACTION_CHARACTERS) {
      throw invalid(name, `must be at most ${MAX_ACTION_CHARACTERS} characters`)
    }
    if (!value.isWellFormed()) throw invalid(name, 'must be well-formed Unicode, without lone surrogates')
    if (CONTROL.test(value)) throw invalid(name, 'must not contain control characters')
    return value
  },
}
