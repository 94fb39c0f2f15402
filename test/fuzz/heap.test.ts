import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import type { Json } from '../support/openapi.ts'
import { startService } from '../support/service.ts'
import type { LogLine } from '../support/service.ts'
import { attack } from './attack.ts'
import type { Side } from './attack.ts'
import { callsOf } from './target.ts'

/** Conversations between counts. */
const ROUND = 400

test('whatever is said on a connection, nothing of it stays in memory', async () => {
  await using service = await startService({ config: { logLevel: 'error' } })
  const { application, url } = service
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Json
  const push = await service.post('/push/all', { tags: ['a'], msg: 'x' })
  const api: Side = { url, calls: callsOf(document, application, push.body.id) }

  /** Live objects after these rounds, by type. */
  async function objectsAfter(rounds: readonly number[]): Promise<ReadonlyMap<string, number>> {
    for (const round of rounds) {
      const goesOn = (turn: number) => turn < (round + 1) * ROUND
      await attack({ sides: [api], seed: 9, from: round * ROUND, atOnce: 48, goesOn })
    }
    // The tests' copy of the log.
    ;(service.log as LogLine[]).length = 0
    return objectsNow()
  }

  async function objectsNow(): Promise<ReadonlyMap<string, number>> {
    // Lets pending turns of the event loop and finalizers run.
    for (let turn = 0; turn < 5; turn++) {
      Bun.gc(true)
      await service.get('/healthz')
    }
    return new Map(Object.entries(heapStats().objectTypeCounts))
  }
  // Warms up everything that is made once.
  const warm = await objectsAfter([0, 1])
  // A leak of one per conversation is 800. Compiled code and strings vary by hundreds.
  const grownTo = (now: ReadonlyMap<string, number>) =>
    [...now].filter(([type, count]) => !/^string$|CodeBlock$/.test(type) && count - (warm.get(type) ?? 0) > ROUND)
  let grown = grownTo(await objectsAfter([2, 3]))
  // A later collection frees what a stack word still points to, but never a leak.
  for (let look = 0; look < 10 && grown.length > 0; look++) grown = grownTo(await objectsNow())
  expect(grown).toEqual([])
})
