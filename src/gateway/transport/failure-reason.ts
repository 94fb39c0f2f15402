import { codeOf } from '../../text/error-code.ts'

/** The code of an error, such as `ECONNREFUSED`; its name where it has none. */
export function failureReason(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.name : 'Error')
}
