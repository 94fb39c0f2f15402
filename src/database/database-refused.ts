/**
 * Why a database is not opened, or not upgraded, where that is the operator's to change. The message is the sentence
 * that is printed, without a stack; the files are as they were.
 */
export class DatabaseRefused extends Error {
  override readonly name: string = 'DatabaseRefused'
}

/** A newer Bellhop has written it. */
export class NewerDatabase extends DatabaseRefused {
  override readonly name = 'NewerDatabase'
}
