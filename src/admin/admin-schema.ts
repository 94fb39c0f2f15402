import { bodyOf, invalid, optional, required, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { isAdminName, isPassword, MAX_NAME, MAX_PASSWORD, MIN_PASSWORD } from './administrator.ts'

const adminName: Field<string> = {
  schema: { type: 'string', minLength: 1, maxLength: MAX_NAME },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string' && isAdminName(value)) return value
    throw invalid(
      name,
      `must be 1 to ${MAX_NAME} characters, without control characters and without white space at an end, not ${show(value)}`,
    )
  },
}

/** What is wrong with a password is said without it. */
const newPassword: Field<string> = {
  schema: { type: 'string', minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD, format: 'password' },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string' && isPassword(value)) return value
    throw invalid(name, `must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`)
  },
}

/** To be compared, and no more. */
const anyText = (maxLength: number): Field<string> => ({
  schema: { type: 'string', minLength: 1, maxLength },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string' && value.length <= maxLength) return value
    throw invalid(name, `must be a string of 1 to ${maxLength} characters`)
  },
})

const linkText = anyText(100)
const givenPassword: Field<string> = {
  ...anyText(MAX_PASSWORD),
  schema: { type: 'string', minLength: 1, maxLength: MAX_PASSWORD, format: 'password' },
}

export const SignIn = bodyOf({ name: required(anyText(MAX_NAME)), password: required(givenPassword) })
export const LookAtLink = bodyOf({ link: required(linkText) })
export const UseLink = bodyOf({ link: required(linkText), name: optional(adminName), password: optional(newPassword) })
export const ChangePassword = bodyOf({ current: required(givenPassword), password: required(newPassword) })
export const NewToken = bodyOf({ name: required(adminName) })
