import { afterAll, test } from 'bun:test'

/**
 * The long proofs run one scenario each in ./scripts/test, which one being drawn by the commit: it sets TEST_TURN, so a
 * run is repeated with the same scenarios, and each has its turn as commits come. Without it, as in `bun test FILE` and
 * ./scripts/proof, all of them run.
 */
const turn = process.env['TEST_TURN'] === undefined ? null : Number(process.env['TEST_TURN'])

/** The scenario whose turn it is; all of them where none is drawn. */
export function inTurn<T>(scenarios: readonly T[]): readonly T[] {
  return turn === null ? scenarios : scenarios.filter((_, n) => n === turn % scenarios.length)
}

/** `test` for the `count` tests of a long proof: it declares the one whose turn it is. */
export function testInTurn(count: number): (name: string, run: () => Promise<void>, timeoutMs?: number) => void {
  let declared = 0
  afterAll(() => {
    if (declared !== count) throw new Error(`testInTurn(${count}) stands over ${declared} tests`)
  })
  return (name, run, timeoutMs) => {
    const n = declared++
    if (turn === null || n === turn % count) test(name, run, timeoutMs)
  }
}
