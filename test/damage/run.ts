import { join } from 'node:path'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { corpusOf, makeSound } from './corpus.ts'
import { judgeDamage } from './judge-damage.ts'

/** Judges every `every`-th damage; resolves with the exit code. */
export async function runDamages(every: number): Promise<number> {
  using directory = temporaryDirectory('bellhop-corpus')
  const counts = new Map<string, number>()
  let broken = 0
  const sound = join(directory.path, 'sound')
  makeSound(sound)
  for (const damage of corpusOf(sound).filter((_, at) => at % every === 0)) {
    const { serve, findings } = await judgeDamage(sound, damage)
    counts.set(serve, (counts.get(serve) ?? 0) + 1)
    if (findings.length > 0) broken++
    for (const finding of findings) console.log(`✗ ${damage.name}: ${finding}`)
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const each = [...counts].map(([serve, count]) => `${serve} ${count}`).join(', ')
  console.log(`${total} damages: ${each}; ${broken} with findings`)
  return broken === 0 ? 0 : 1
}
