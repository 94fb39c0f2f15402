/** Throws unless `condition` holds. `expect` would take most of the time. */
export function ensure(condition: boolean, problem: () => string): asserts condition {
  if (!condition) throw new Error(problem())
}
