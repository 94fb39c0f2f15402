import type { Row } from '../report/result.ts'

/** A future row, measured once each round. */
export interface Contender extends Pick<Row, 'name' | 'role'> {
  /** One value by column key. */
  run(round: number): Promise<Readonly<Record<string, number>>>
}

/**
 * Runs all contenders in turns, so that other work on the machine affects them alike. Every other round runs backwards,
 * so that no contender always follows the same one. Returns values by column key, one for each round, in the order of
 * `contenders`.
 */
export async function inRounds(
  contenders: readonly Contender[],
  rounds: number,
  say: (line: string) => void,
): Promise<readonly Row[]> {
  const rows = contenders.map(({ name, role }) => ({
    name,
    ...(role !== undefined && { role }),
    values: {} as Record<string, number[]>,
  }))
  for (let round = 1; round <= rounds; round++) {
    const order = [...contenders.keys()]
    if (round % 2 === 0) order.reverse()
    for (const at of order) {
      const [contender, row] = [contenders[at], rows[at]]
      if (contender === undefined || row === undefined) continue
      say(`round ${round} of ${rounds}: ${contender.name}`)
      for (const [key, value] of Object.entries(await turn(contender, round))) (row.values[key] ??= []).push(value)
    }
  }
  return rows
}

async function turn(contender: Contender, round: number): Promise<Readonly<Record<string, number>>> {
  try {
    return await contender.run(round)
  } catch (error) {
    throw new Error(`${contender.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
