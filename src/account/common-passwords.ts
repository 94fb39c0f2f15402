import { dictionary } from '@zxcvbn-ts/language-common'

/** The 49,000 passwords that were found most often in what was stolen elsewhere, in lower case. Loaded when one is chosen. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(dictionary['passwords-common'])
