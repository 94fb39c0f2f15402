/**
 * Why the service does not start, where that is the operator's to change: a port in use, a data directory that another
 * server holds. The message is the one sentence that is printed, without a stack.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
