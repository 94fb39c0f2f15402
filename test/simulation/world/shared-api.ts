import { createPublicApi } from '../../../src/server/public/public-api.ts'
import type { PublicApi } from '../../../src/server/public/public-api.ts'
import type { PublicParts } from '../../../src/server/public/public-parts.ts'

/*
 * The public API of whichever service was started last. Its routes, which keep nothing, are made once in a process, as in
 * a real one: making and compiling them is a quarter of what a start takes with its first call.
 */

let present: PublicParts | null = null
let made: PublicApi | null = null
let isShared = true

/** From now on each service makes its own: slow, and nothing may differ. */
export function shareNoApi(): void {
  isShared = false
}

export function sharedApi(parts: PublicParts): PublicApi {
  if (!isShared) return createPublicApi(parts)
  present = parts
  return (made ??= createPublicApi(
    whatever(() => {
      if (present === null) throw new Error('no service has been started')
      return present
    }),
  ))
}

/** Stands for what `of` gives at the moment of each call, down to its methods. */
function whatever<T extends object>(of: () => T): T {
  const known = new Map<PropertyKey, unknown>()
  return new Proxy({} as T, {
    get(_, key) {
      if (!known.has(key)) {
        const value: unknown = Reflect.get(of(), key)
        if (typeof value === 'function')
          known.set(key, (...given: unknown[]): unknown => {
            const owner = of()
            return Reflect.apply(Reflect.get(owner, key) as (...given: unknown[]) => unknown, owner, given)
          })
        else if (typeof value === 'object' && value !== null && !Array.isArray(value))
          known.set(
            key,
            whatever(() => Reflect.get(of(), key) as object),
          )
        else return value
      }
      return known.get(key)
    },
  })
}
