import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { readdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCheckpointer } from '../../src/database/checkpoint/checkpointer.ts'
import type { LogPages } from '../../src/database/checkpoint/checkpointer.ts'
import type { Database } from '../../src/database/database.ts'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { raise } from '../support/raise.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'
import { until } from '../support/until.ts'

/** 4 MB, a tenth of what it is in a service. */
const LOG_PAGES = 1000

/** A row, and the pages of 4 KiB that a commit of it puts into the log at the most. */
const INSERT = 'INSERT INTO large VALUES (zeroblob(100000))'
const ROW_PAGES = 30

let temporary: ReturnType<typeof temporaryDatabase>
let directory: string
let database: Database

beforeEach(() => {
  temporary = temporaryDatabase()
  ;({ directory, database } = temporary)
  database.statement('CREATE TABLE large (content BLOB) STRICT').run()
})
afterEach(() => temporary[Symbol.dispose]())

function logPages(): LogPages {
  const row = database.statement<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()
  return { log: row?.log ?? 0, moved: row?.checkpointed ?? 0 }
}

const rows = () => database.statement<{ rows: number }, []>('SELECT count(*) AS rows FROM large').get()?.rows

/** Writes as a service does. */
function startWriter() {
  const checkpointer = database.checkpointBeside(raise, { logPages: LOG_PAGES })
  const group = createGroupCommit(database, raise, undefined, checkpointer)
  const insert = database.statement(INSERT)
  return {
    checkpointer,
    group,
    insert: () => group.commit(() => void insert.run()),
    [Symbol.dispose]() {
      group[Symbol.dispose]()
      checkpointer[Symbol.dispose]()
    },
  }
}

/** How often this process has the log open. */
function openLogs(): number {
  const targets = readdirSync('/proc/self/fd').map((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`)
    } catch {
      // Closed since.
      return ''
    }
  })
  return targets.filter((target) => target === join(realpathSync(directory), 'bellhop.db-wal')).length
}

describe('a database whose log is moved by another thread', () => {
  test('has commits that move nothing, however long the log is', async () => {
    using checkpointer = database.checkpointBeside(raise, { logPages: LOG_PAGES })
    const insert = database.statement(INSERT)
    for (let n = 0; n < 44; n++) insert.run()
    const { log, moved } = logPages()
    expect(log).toBeGreaterThan(LOG_PAGES)
    expect(moved).toBe(0)
    expect(database.statement('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 0 })
    checkpointer.look()
    await until(() => logPages().moved > 0)
    expect(logPages()).toEqual({ log, moved: log })
  })

  test('has a log that begins anew while a busy writer fills it five times, with no transaction in a pause', async () => {
    using writer = startWriter()
    const { checkpointer, group } = writer
    const during: unknown[] = []
    group.alongside(() => void during.push(checkpointer.pause()))
    let longest = 0
    let before = 0
    let beginnings = 0
    for (let n = 0; n < 200; n++) {
      await writer.insert()
      const { log } = logPages()
      if (log < before) beginnings++
      before = log
      longest = Math.max(longest, log)
    }
    expect(beginnings).toBeGreaterThan(0)
    // What a writer may be ahead, and what the turn before that had been seen has added.
    expect(longest).toBeLessThanOrEqual(4 * LOG_PAGES + 2 * ROW_PAGES)
    expect(during).toHaveLength(200)
    expect(during.filter((pause) => pause !== null)).toEqual([])
    expect(rows()).toBe(200)
  })

  test('goes on while somebody reads for long, and moves the log when that is over', async () => {
    using writer = startWriter()
    await writer.insert()
    using reader = new Sqlite(join(directory, 'bellhop.db'), { readonly: true })
    reader.run('BEGIN')
    const read = () => reader.query<{ rows: number }, []>('SELECT count(*) AS rows FROM large').get()
    expect(read()).toEqual({ rows: 1 })
    const { log: seen } = logPages()
    for (let n = 1; n < 60; n++) await writer.insert()
    expect(logPages().log).toBeGreaterThan(1.4 * LOG_PAGES)
    expect(logPages().moved).toBeLessThanOrEqual(seen)
    expect(read()).toEqual({ rows: 1 })
    reader.run('COMMIT')
    let before = 0
    for (let log = logPages().log; log >= before; { log } = logPages()) {
      before = log
      await writer.insert()
    }
    expect(before).toBeLessThanOrEqual(4 * LOG_PAGES + 2 * ROW_PAGES)
    expect(read()?.rows).toBe(rows() ?? -1)
  })

  test('is whole, and has all that was answered, when the process is killed in the middle of it', async () => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'checkpoint-until-killed.ts'), directory], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const answered = (await child.stdout.text()).length
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    expect(answered).toBeGreaterThanOrEqual(30)
    expect(rows()).toBeGreaterThanOrEqual(answered)
    expect(database.statement('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  }, 60_000)

  test.skipIf(process.platform !== 'linux')('is let go of by that thread before it is closed', async () => {
    let before: number
    {
      using writer = startWriter()
      before = openLogs()
      // Until it is at work: whoever closes then must wait.
      while (openLogs() === before) await writer.insert()
    }
    expect(openLogs()).toBe(before)
    expect(logPages().log).toBeGreaterThan(LOG_PAGES)
  })
})

describe('the thread that moves the log', () => {
  function start(more: { readonly program?: string } = {}) {
    let log = 9999
    const failures: string[] = []
    let gone = 0
    const checkpointer = createCheckpointer({
      path: join(directory, 'nothing.db'),
      pages: () => ({ log, moved: 0 }),
      onGone: () => void gone++,
      onFailed: (why) => void failures.push(why),
      ...more,
    })
    return {
      checkpointer,
      failures,
      gone: () => gone,
      lookAt: (pages: number) => {
        log = pages
        checkpointer.look()
      },
      [Symbol.dispose]: () => checkpointer[Symbol.dispose](),
    }
  }

  test('says why it could not, and is asked again when the log has grown by 4 MB', async () => {
    using thread = start()
    const { failures, lookAt } = thread
    lookAt(9999)
    expect(thread.checkpointer.pause()).toBeNull()
    lookAt(10_000)
    await until(() => failures.length === 1)
    expect(failures[0]).toContain('ENOENT')
    expect(thread.checkpointer.pause()).toBeNull()
    lookAt(10_999)
    await Bun.sleep(0)
    expect(failures).toHaveLength(1)
    lookAt(11_000)
    await until(() => failures.length === 2)
    expect(thread.gone()).toBe(0)
  })

  test('has transactions wait where the log is 160 MB long', () => {
    using thread = start()
    thread.lookAt(10_000)
    expect(thread.checkpointer.pause()).toBeNull()
    thread.lookAt(39_999)
    expect(thread.checkpointer.pause()).toBeNull()
    thread.lookAt(40_000)
    expect(thread.checkpointer.pause()).toBeInstanceOf(Promise)
  })

  test('leaves it to the commits where it cannot run', async () => {
    const program = join(directory, 'broken.ts')
    writeFileSync(program, 'throw new Error("no such thread")')
    using thread = start({ program })
    thread.lookAt(10_000)
    await until(() => thread.gone() === 1)
    expect(thread.failures).toEqual([expect.stringContaining('there is no thread for it: ')])
    expect(thread.failures[0]).toContain('no such thread')
    expect(thread.checkpointer.pause()).toBeNull()
    thread.lookAt(50_000)
    expect(thread.checkpointer.pause()).toBeNull()
  })
})
