import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { codeOf } from '../../src/text/error-code.ts'
import { raise } from '../support/raise.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

let temporary: ReturnType<typeof temporaryDatabase>
let database: Database
let group: ReturnType<typeof createGroupCommit>

beforeEach(() => {
  temporary = temporaryDatabase()
  database = temporary.database
  group = createGroupCommit(database, raise)
})
afterEach(() => temporary[Symbol.dispose]())

function insert(name: string): void {
  database
    .statement<never, [string, string]>(
      `INSERT INTO application (id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
       VALUES (?, ?, x'00', 0, 0, 0, 0, 0, 'month', 0)`,
    )
    .run(name, name)
}

/** No more pages than there are: the next one that is needed finds the disk full. */
function fillDisk(): () => void {
  database.statement('CREATE TABLE large (content BLOB)').run()
  const pages = database.statement<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0
  database.statement(`PRAGMA max_page_count = ${pages}`).get()
  return () => void database.statement('PRAGMA max_page_count = 1000000').get()
}
// A statement that can be undone alone would leave the transaction as it was; this one cannot.
const insertLarge = () => void database.statement('INSERT INTO large VALUES (zeroblob(100000))').run()

/** What a program that opens the file now would see. */
function onDisk(): string[] {
  using other = new Sqlite(join(temporary.directory, 'bellhop.db'), { readonly: true })
  return other
    .query<{ name: string }, []>('SELECT name FROM application ORDER BY number')
    .all()
    .map(({ name }) => name)
}

describe('writes of one turn share one transaction', () => {
  test('a promise resolves with the result once it is on disk', async () => {
    const done = group.commit(() => {
      insert('a')
      return 7
    })
    expect(onDisk()).toEqual([])
    expect(await done).toBe(7)
    expect(onDisk()).toEqual(['a'])
  })

  test('what comes in one turn is committed together', async () => {
    let seenByLast: string[] = []
    const all = ['a', 'b', 'c'].map((name) =>
      group.commit(() => {
        insert(name)
        seenByLast = onDisk()
      }),
    )
    await all[0]
    // The first is not on disk before the last has run.
    expect(seenByLast).toEqual([])
    expect(onDisk()).toEqual(['a', 'b', 'c'])
  })

  test('one that throws is undone alone, and its promise rejects', async () => {
    const results = await Promise.allSettled([
      group.commit(() => insert('a')),
      group.commit(() => {
        insert('b')
        throw new Error('no')
      }),
      group.commit(() => insert('c')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(onDisk()).toEqual(['a', 'c'])
  })

  test('when the commit itself fails, every promise of the turn rejects and nothing is kept', async () => {
    const results = await Promise.allSettled([
      group.commit(() => insert('a')),
      group.commit(() => {
        // A deferred constraint speaks up at COMMIT, as a full disk does.
        database.statement<never, []>('PRAGMA defer_foreign_keys = ON').run()
        database.statement<never, []>(`INSERT INTO quota VALUES (999, '2026-11', 1)`).run()
      }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(onDisk()).toEqual([])
    await group.commit(() => insert('after'))
    expect(onDisk()).toEqual(['after'])
  })

  describe('a transaction that SQLite has rolled back by itself is over', () => {
    const reasons = (results: readonly PromiseSettledResult<unknown>[]) =>
      results.map((result) => (result.status === 'rejected' ? codeOf(result.reason) : 'stored'))

    test('every operation of the turn is refused, with what the disk said, and none is stored', async () => {
      group.alongside(() => insert('ride'))
      const free = fillDisk()
      const results = await Promise.allSettled([
        group.commit(() => insert('first')),
        group.commit(insertLarge),
        group.commit(() => insert('third')),
        group.commit(() => database.transact(() => insert('fourth'))),
      ])
      expect(onDisk()).toEqual([])
      expect(reasons(results)).toEqual(['SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL'])
      free()
      await group.commit(() => insert('after'))
      expect(onDisk()).toEqual(['ride', 'after'])
    })

    test('also where another operation of the turn was undone alone before', async () => {
      fillDisk()
      const results = await Promise.allSettled([
        group.commit(() => insert('first')),
        group.commit(() => {
          throw new Error('no')
        }),
        group.commit(insertLarge),
        group.commit(() => insert('fourth')),
      ])
      expect(onDisk()).toEqual([])
      expect(reasons(results)).toEqual(['SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL'])
    })

    test('also where an operation makes nothing of it', async () => {
      fillDisk()
      const results = await Promise.allSettled([
        group.commit(() => {
          try {
            insertLarge()
          } catch {
            return 'went on'
          }
          return 'stored'
        }),
        group.commit(() => insert('second')),
      ])
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(onDisk()).toEqual([])
    })

    test('also where it is what rides along that met the full disk', async () => {
      fillDisk()
      group.alongside(insertLarge)
      expect(reasons(await Promise.allSettled([group.commit(() => insert('a'))]))).toEqual(['SQLITE_FULL'])
      expect(onDisk()).toEqual([])
    })
  })

  test('what rides along is in the same transaction, and runs once in it', async () => {
    let rides = 0
    group.alongside(() => {
      rides++
      insert(`ride-${rides}`)
    })
    await Promise.all([group.commit(() => insert('a')), group.commit(() => insert('b'))])
    expect(rides).toBe(1)
    expect(onDisk()).toEqual(['ride-1', 'a', 'b'])
  })

  describe('the sync', () => {
    /** A disk that is slow, and may fail. */
    function onSlowDisk() {
      const syncs: PromiseWithResolvers<void>[] = []
      const failures: unknown[] = []
      const syncByHand = () => ({
        later() {
          const sync = Promise.withResolvers<void>()
          syncs.push(sync)
          return sync.promise
        },
        now() {},
      })
      const slow = createGroupCommit({ ...database, syncByHand }, (error) => void failures.push(error))
      return { slow, syncs, failures }
    }
    const turn = () => new Promise((resolve) => setImmediate(resolve))

    test('that began after the commit is waited for, and calls go on meanwhile', async () => {
      const { slow, syncs } = onSlowDisk()
      const answered: string[] = []
      const first = slow.commit(() => insert('a')).then(() => answered.push('a'))
      await turn()
      const second = slow.commit(() => insert('b')).then(() => answered.push('b'))
      await turn()
      // Both are committed; the one sync that runs was begun before the second.
      expect(onDisk()).toEqual(['a', 'b'])
      expect(syncs).toHaveLength(1)
      expect(answered).toEqual([])
      syncs[0]?.resolve()
      await first
      await turn()
      expect(answered).toEqual(['a'])
      syncs[1]?.resolve()
      await second
      expect(answered).toEqual(['a', 'b'])
    })

    test('that fails is no success: the promises reject, and the process is told to end', async () => {
      const { slow, syncs, failures } = onSlowDisk()
      const failed = slow.commit(() => insert('a'))
      await turn()
      const error = new Error('EIO')
      syncs[0]?.reject(error)
      expect(failed).rejects.toThrow('EIO')
      await turn()
      expect(failures).toEqual([error])
    })

    test('that fails is the last one: what was committed meanwhile is refused with it, and nothing is done again', async () => {
      const { slow, syncs, failures } = onSlowDisk()
      const refusals: unknown[] = []
      const ask = (name: string) =>
        slow.commit(() => insert(name)).catch((error: Error) => refusals.push(error.message))
      const first = ask('a')
      await turn()
      const second = ask('b')
      await turn()
      syncs[0]?.reject(new Error('EIO'))
      await Promise.all([first, second])
      await ask('c')
      slow[Symbol.dispose]()
      expect(refusals).toEqual(['EIO', 'EIO', 'EIO'])
      expect(onDisk()).toEqual(['a', 'b'])
      expect({ syncs: syncs.length, failures: failures.length }).toEqual({ syncs: 1, failures: 1 })
    })
  })

  test('disposing commits what waits', async () => {
    const waiting = group.commit(() => insert('last'))
    group[Symbol.dispose]()
    await waiting
    expect(onDisk()).toEqual(['last'])
  })
})

describe('a transaction', () => {
  test('rolls back when its work throws', () => {
    expect(() =>
      database.transact(() => {
        insert('a')
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(onDisk()).toEqual([])
  })

  test('inside another is a savepoint of it', () => {
    database.transact(() => {
      insert('a')
      expect(() =>
        database.transact(() => {
          insert('b')
          throw new Error('no')
        }),
      ).toThrow('no')
      insert('c')
    })
    expect(onDisk()).toEqual(['a', 'c'])
  })

  test('that SQLite has rolled back by itself takes nothing more, however deep, and nothing of it commits on its own', () => {
    fillDisk()
    const refused: string[] = []
    const attempt = (work: () => void) => {
      try {
        database.transact(work)
      } catch (error) {
        refused.push(codeOf(error) ?? '')
      }
    }
    expect(() =>
      database.transact(() => {
        insert('a')
        attempt(() => {
          attempt(insertLarge)
          attempt(() => insert('b'))
        })
        attempt(() => insert('c'))
      }),
    ).toThrow('full')
    expect(onDisk()).toEqual([])
    expect(refused).toEqual(Array.from({ length: 4 }, () => 'SQLITE_FULL'))
    database.transact(() => insert('d'))
    expect(onDisk()).toEqual(['d'])
  })
})
