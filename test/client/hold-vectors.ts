import { expect, test } from 'bun:test'
import vectors from '../../src/client/vectors.json'

/** The script has no types. */
export interface Core {
  readonly begin: (platform: string) => State
  readonly step: (state: State, event: object, now: number, random: number) => Stepped
  readonly next: (state: State, now: number) => object | null
  readonly isRemoved: (bellhop: object, shown: object) => boolean
}

interface Stepped {
  readonly state: State
  readonly tell: object | null
}

interface State {
  readonly reports: readonly object[]
}

interface Case {
  readonly name: string
  readonly now?: number
  readonly random?: number
  readonly before: object
  readonly event?: { readonly kind: string }
  readonly after?: object
  readonly tell?: object
  readonly request: object | null
}

export const CASES = vectors.cases as readonly Case[]

/** One test per case of the contract. */
export function holdVectors(load: () => Promise<Core>): void {
  test.each(CASES.map((one) => [one.name, one] as const))(
    '%s',
    async (_, { now = 1_000_000, random = 0.5, before, event, after = before, tell = null, request }) => {
      const { begin, next, step } = await load()
      const first = begin('1')
      const from = { ...first, ...before }
      const copy = structuredClone(from)
      const found = event === undefined ? { state: from, tell: null } : step(from, event, now, random)
      expect(found).toEqual({ state: { ...first, ...after }, tell })
      expect(next(found.state, now)).toEqual(request)
      expect(from).toEqual(copy)
    },
  )

  test.each(vectors.withdrawals.map((one) => [one.name, one] as const))('%s', async (_, { bellhop, shown, removed }) =>
    expect((await load()).isRemoved(bellhop, shown)).toBe(removed),
  )
}
