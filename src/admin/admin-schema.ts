import { bodyOf, invalid, optional, required, show, wholeNumber } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { DEFAULT_PURPOSE, DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS, PURPOSE_TEXT, TOKEN_PURPOSES } from './token-purpose.ts'
import type { TokenPurpose } from './token-purpose.ts'
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

/** Its errors do not repeat the password. */
const newPassword: Field<string> = {
  schema: { type: 'string', minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD, format: 'password' },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string' && isPassword(value)) return value
    throw invalid(name, `must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`)
  },
}

/** Text that is only compared. */
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

const purpose: Field<TokenPurpose> = {
  schema: {
    type: 'string',
    enum: TOKEN_PURPOSES,
    default: DEFAULT_PURPOSE,
    description: TOKEN_PURPOSES.map((one) => `\`${one}\`: ${PURPOSE_TEXT[one]}`).join('; '),
  },
  emptyIsAbsent: true,
  read(value, name) {
    const known = TOKEN_PURPOSES.find((one) => one === value)
    if (known !== undefined) return known
    throw invalid(name, `must be one of ${TOKEN_PURPOSES.join(', ')}, not ${show(value)}`)
  },
}

const days = wholeNumber(1, MAX_TOKEN_DAYS)
const expiresInDays: Field<number | 'never'> = {
  schema: {
    oneOf: [days.schema, { const: 'never' }],
    default: DEFAULT_TOKEN_DAYS,
    description: 'Days until it ends. A token makes none that outlives it.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (value === 'never') return value
    if (Number.isInteger(value) || (typeof value === 'string' && /^\d+$/.test(value))) return days.read(value, name)
    throw invalid(name, `must be a whole number from 1 to ${MAX_TOKEN_DAYS}, or never, not ${show(value)}`)
  },
}

export const NewToken = bodyOf({
  name: required(adminName),
  purpose: optional(purpose),
  expiresInDays: optional(expiresInDays),
})

/** A code of an authenticator app, or a recovery code. */
const code = anyText(100)
export const GivenCode = bodyOf({ code: required(code) })
export const FinishSignIn = bodyOf({ step: required(linkText), code: required(code) })
