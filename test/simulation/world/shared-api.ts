import { createPublicApi } from '../../../src/server/public/public-api.ts'
import type { PublicApi } from '../../../src/server/public/public-api.ts'
import type { PublicParts } from '../../../src/server/public/public-parts.ts'

/* The public API of the last started service. Its stateless routes are created once a process, as in a real one: creating and compiling them takes a quarter of a start with its first call. */

let present: PublicParts | null = null
let made: PublicApi | null = null
let isShared = true

/** Each service creates its own from now on: slow, with the same results. */
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

/** A proxy of what `of` returns at each call, methods included. */
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
