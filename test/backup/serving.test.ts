import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { backupProcess } from '../../src/backup/backup-process.ts'
import { repositoryPlaceIn } from '../../src/backup/destination.ts'
import { startBackups } from '../../src/backup/start-backups.ts'
import { writeDatabaseFile } from '../../src/database/offline-database.ts'
import { createLog } from '../../src/log.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startS3 } from '../support/s3-service.ts'
import { startService } from '../support/service.ts'
import { dataDirectories } from './data.ts'

const NAME = 'bellhop-2026-11-20T120000Z.db'

const directories = dataDirectories()
afterAll(() => directories[Symbol.dispose]())

const drafts = (folder: string) => readdirSync(folder).filter((name) => name.includes('.partial'))

/** The environment of a process that stops where its copy is written, and has neither been checked nor got its name. */
function stoppingAfterCopy() {
  const preload = directories.path('stop-after-copy.ts')
  writeFileSync(
    preload,
    `import { Database } from 'bun:sqlite'
     const { run } = Database.prototype
     Database.prototype.run = function (sql, ...bindings) {
       const changes = run.call(this, sql, ...bindings)
       if (sql.startsWith('VACUUM INTO')) process.kill(process.pid, 'SIGSTOP')
       return changes
     }`,
  )
  return { ...process.env, BUN_OPTIONS: `--preload=${preload}` }
}

function on(place: string) {
  const to = repositoryPlaceIn(place)
  if (to.kind === 'problem') throw new Error(to.problem)
  return to
}

describe('a service with --backup', () => {
  test('makes one by a process of its own soon after its start', async () => {
    const clock = createFakeClock()
    const backup = directories.path('kept')
    await using service = await startService({ clock, config: { backup, backupEvery: 86_400_000, backupKeep: 2 } })
    clock.advance(10_000)
    expect(await service.logged(({ event }) => event === 'backup made')).toMatchObject({
      name: 'bellhop-2026-11-20T120010Z.db',
      erased: 0,
    })
    expect(readdirSync(backup)).toEqual(['bellhop-2026-11-20T120010Z.db'])
    expect(statSync(join(backup, 'bellhop-2026-11-20T120010Z.db')).mode & 0o777).toBe(0o600)
  })

  test('is not started for a place that is none, or a bucket without credentials', async () => {
    const clock = createFakeClock()
    const log = createLog('error', clock.now, () => {})
    const start = (backup: string, env = {}) => {
      const config = { backup, backupEvery: 1, backupKeep: 1, data: directories.root }
      return startBackups(config, { clock, log, env })
    }
    expect(() => start('ftp://x')).toThrow(
      '--backup (BELLHOP_BACKUP): "ftp://x" is not a place for backups: a path, or s3://bucket/prefix/.',
    )
    expect(() => start('s3://shop')).toThrow('There are no credentials for the bucket')
    await using bucket = start('s3://shop', { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' })
    expect(bucket?.state()).toEqual({ lastSuccessAt: null, lastError: null, everyMs: 1 })
  })
})

describe('the process that makes one', () => {
  test('gets what a bucket asks for, and no key nor anything else that the service knows', async () => {
    const data = directories.make('with a key')
    const env = {
      ...stoppingAfterCopy(),
      AWS_REGION: 'eu-1',
      BELLHOP_KEY: 'a'.repeat(64),
      BELLHOP_PROXY: 'http://user:secret@proxy',
      CREDENTIALS_DIRECTORY: '/run/credentials/bellhop',
    }
    const making = backupProcess(NAME, { data, to: on(directories.path('repository of one')), keep: 3, env })
    const stopped = () => readFileSync(`/proc/${making.pid}/status`, 'utf8').includes('State:\tT')
    while (!stopped()) await Bun.sleep(5)
    const given = readFileSync(`/proc/${making.pid}/environ`, 'utf8').split('\0')
    expect(given).toContain('AWS_REGION=eu-1')
    expect(given.filter((each) => /^(BELLHOP_|CREDENTIALS_)/.test(each))).toEqual([])
    await making.stop()
  })

  test('says what it has made, or why it has not', async () => {
    const data = directories.make('data')
    const to = on(directories.path('repository'))
    const making = backupProcess(NAME, { data, to, keep: 3, env: process.env })
    expect(await making.ended).toEqual({ kind: 'made', bytes: expect.any(Number), erased: 0, warning: null })
    expect(await backupProcess(NAME, { data, to, keep: 3, env: process.env }).ended).toEqual({
      kind: 'problem',
      problem: `${join(directories.path('repository'), NAME)} exists already: a backup is never written over. Name another one.`,
    })
  })

  test('gives way to the service, and leaves nothing when it is stopped in the middle', async () => {
    const data = directories.make('stopped')
    await using s3 = startS3()
    const uploading = Promise.withResolvers<void>()
    s3.conduct = ({ method }) => {
      if (method !== 'PUT') return undefined
      uploading.resolve()
      return new Promise(() => {})
    }
    const making = backupProcess(NAME, { data, to: on('s3://backups/x'), keep: 3, env: { ...process.env, ...s3.env } })
    await uploading.promise
    expect(drafts(data)).toEqual([`${NAME}.partial`])
    expect(getPriority(making.pid)).toBe(10)
    await making.stop()
    expect(drafts(data)).toEqual([])
    expect(s3.objects.size).toBe(0)
    expect(await making.ended).toEqual({ kind: 'problem', problem: 'bellhop backup ended with SIGKILL.' })
  })

  test('that is killed while it copies leaves nothing under the name of a backup', async () => {
    const data = directories.make('killed')
    using database = writeDatabaseFile(join(data, 'bellhop.db'))
    database.run(`INSERT INTO feedback VALUES (1, 0, zeroblob(60000000), '', 0)`)
    const repository = directories.path('killed repository')
    const making = backupProcess(NAME, { data, to: on(repository), keep: 3, env: stoppingAfterCopy() })
    while (!existsSync(join(repository, `${NAME}.partial`))) await new Promise((resolve) => setImmediate(resolve))
    process.kill(making.pid, 'SIGKILL')
    await making.ended
    expect(drafts(repository)).not.toEqual([])
    expect(existsSync(join(repository, NAME))).toBeFalse()
    await making.stop()
    expect(readdirSync(repository)).toEqual([])
  })
})
