import { readFileSync } from 'node:fs'
import { codeOf } from '../text/error-code.ts'

export type ReadFile = (path: string) =>
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'problem'
      /** `cannot be read: …`, to follow the file's name. */
      readonly problem: string
      readonly missing?: true
    }

export const readSystemFile: ReadFile = (path) => {
  try {
    return { kind: 'read', bytes: readFileSync(path) }
  } catch (error) {
    const code = codeOf(error) ?? String(error)
    const problem = `cannot be read: ${REASONS[code] ?? code}`
    return code === 'ENOENT' ? { kind: 'problem', problem, missing: true } : { kind: 'problem', problem }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission denied',
}
