/** For what a test has no failure of. */
export function raise(error: unknown): never {
  throw error
}
