import { bodyOf, fieldOf, optional, required, wholeNumber } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { DEFAULT_PURPOSE, DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS, PURPOSE_TEXT, TOKEN_PURPOSES } from './token-purpose.ts'
import { isAdminName, isPassword, MAX_NAME, MAX_PASSWORD, MIN_PASSWORD } from './administrator.ts'

const adminName = fieldOf(
  { type: 'string', minLength: 1, maxLength: MAX_NAME },
  `1 to ${MAX_NAME} characters, without control characters and without white space at an end`,
  (value) => (typeof value === 'string' && isAdminName(value) ? value : undefined),
)

const newPassword = fieldOf(
  { type: 'string', minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD, format: 'password' },
  `${MIN_PASSWORD} to ${MAX_PASSWORD} characters`,
  (value) => (typeof value === 'string' && isPassword(value) ? value : undefined),
  { isSecret: true },
)

/** Text that is only compared. */
const anyText = (maxLength: number, more = {}): Field<string> =>
  fieldOf(
    { type: 'string', minLength: 1, maxLength, ...more },
    `a string of 1 to ${maxLength} characters`,
    (value) => (typeof value === 'string' && value.length <= maxLength ? value : undefined),
    { isSecret: true },
  )

const linkText = anyText(100)
const givenPassword = anyText(MAX_PASSWORD, { format: 'password' })

export const SignIn = bodyOf({ name: required(anyText(MAX_NAME)), password: required(givenPassword) })
export const LookAtLink = bodyOf({ link: required(linkText) })
export const UseLink = bodyOf({ link: required(linkText), name: optional(adminName), password: optional(newPassword) })
export const ChangePassword = bodyOf({ current: required(givenPassword), password: required(newPassword) })

const purpose = fieldOf(
  {
    type: 'string',
    enum: TOKEN_PURPOSES,
    default: DEFAULT_PURPOSE,
    description: TOKEN_PURPOSES.map((one) => `\`${one}\`: ${PURPOSE_TEXT[one]}`).join('; '),
  },
  `one of ${TOKEN_PURPOSES.join(', ')}`,
  (value) => TOKEN_PURPOSES.find((one) => one === value),
)

const days = wholeNumber(1, MAX_TOKEN_DAYS)
const daysOrNever = fieldOf(
  {
    oneOf: [days.schema, { const: 'never' }],
    default: DEFAULT_TOKEN_DAYS,
    description: 'Days until it expires. A token cannot create one that outlives it.',
  },
  `a whole number from 1 to ${MAX_TOKEN_DAYS}, or never`,
  (value): number | 'never' | undefined => {
    if (value === 'never') return value
    const isWhole = Number.isInteger(value) || (typeof value === 'string' && /^\d+$/.test(value))
    return isWhole ? days.read(value, 'expiresInDays') : undefined
  },
)

export const NewToken = bodyOf({
  name: required(adminName),
  purpose: optional(purpose),
  expiresInDays: optional(daysOrNever),
})

/** A code of an authenticator app, or a recovery code. */
const code = anyText(100)
export const GivenCode = bodyOf({ code: required(code) })
export const FinishSignIn = bodyOf({ step: required(linkText), code: required(code) })
