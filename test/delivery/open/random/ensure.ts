/** Throws, with what is wrong, where `condition` does not hold. `expect` would take most of the time. */
export function ensure(condition: boolean, problem: () => string): asserts condition {
  if (!condition) throw new Error(problem())
}
