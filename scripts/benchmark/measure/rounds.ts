import type { Row } from '../report/result.ts'

/** Something that is measured once a round: a row to be. */
export interface Contender extends Pick<Row, 'name' | 'role'> {
  /** One value by column key. */
  run(round: number): Promise<Readonly<Record<string, number>>>
}

/**
 * Runs all contenders once, then all again, so that whatever else the machine does meets them alike; every other round
 * runs backwards, so that none always follows the same one. Values by column key, one a round, in the order of
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
