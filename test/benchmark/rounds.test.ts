import { expect, test } from 'bun:test'
import { inRounds } from '../../scripts/benchmark/measure/rounds.ts'

function contender(name: string, log: string[]) {
  return {
    name,
    async run(round: number) {
      log.push(`${name}${round}`)
      return { figure: round * 10 }
    },
  }
}

test('all contenders have their turn before one has its second, and every other round runs backwards', async () => {
  const log: string[] = []
  const rows = await inRounds([contender('a', log), contender('b', log)], 3, () => undefined)
  expect(log).toEqual(['a1', 'b1', 'b2', 'a2', 'a3', 'b3'])
  expect(rows).toEqual([
    { name: 'a', values: { figure: [10, 20, 30] } },
    { name: 'b', values: { figure: [10, 20, 30] } },
  ])
})

test('a failure says whose it is', () => {
  const broken = { name: 'c', run: () => Promise.reject(new Error('no gateway')) }
  expect(inRounds([broken], 1, () => undefined)).rejects.toThrow('c: no gateway')
})
