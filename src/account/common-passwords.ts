import { dictionary } from '@zxcvbn-ts/language-common'

/** The 49,000 most common passwords in breaches, in lower case. Large: import on demand. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(dictionary['passwords-common'])
