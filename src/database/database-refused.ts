/**
 * A database that is not opened or upgraded, for a reason that the operator can change. The message is printed without
 * a stack; the files are as they were.
 */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
}
