import { afterAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { backupNameAt } from '../../src/backup/backup-name.ts'
import { backupProcess } from '../../src/backup/own-process.ts'
import { repositoryPlaceIn } from '../../src/backup/destination.ts'
import { startBackups } from '../../src/backup/start-backups.ts'
import { readVerification } from '../../src/backup/verified-file.ts'
import { copyDatabase, writeDatabaseFile } from '../../src/database/offline-database.ts'
import { judgeVerified } from '../../src/doctor/machine/backup-check.ts'
import { createLog } from '../../src/log.ts'
import type { Readiness } from '../../src/monitoring/readiness.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startS3 } from '../support/s3-service.ts'
import { startService } from '../support/service.ts'
import type { Credentials } from '../support/service.ts'
import { dataDirectories } from './data.ts'

const NAME = 'bellhop-2026-11-20T120000Z.db'

const directories = dataDirectories()
afterAll(() => directories[Symbol.dispose]())

const drafts = (folder: string) => readdirSync(folder).filter((name) => name.includes('.partial'))

/** The environment of a process that stops right after its copy, before the check and the final name. */
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

  test('opens the newest by a process of its own, and says what is wrong with it; the doctor knows it too', async () => {
    const clock = createFakeClock()
    const backup = directories.path('opened')
    const config = { backup, backupEvery: 7 * 86_400_000, backupKeep: 2 }
    const data = directories.make('verified')
    const name = backupNameAt(clock.now() - 3_600_000)
    let application: Credentials | undefined
    {
      await using service = await startService({ clock, config, data })
      application = service.application
      await service.logged(({ event }) => event === 'serving')
      copyDatabase(join(data, 'bellhop.db'), join(mkdirSync(backup, { recursive: true }) ?? backup, name))
      clock.advance(10_000)
      expect(await service.logged(({ event }) => event === 'backup verified')).toMatchObject({ name, devices: 3 })
      const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
      expect(metrics).toContain('\nbellhop_backup_verification_failed 0\n')
      expect(metrics).toContain(`\nbellhop_backup_last_verified_timestamp_seconds ${clock.now() / 1000}\n`)
    }
    expect(judgeVerified(readVerification(data), clock.now())).toEqual({
      state: 'ok',
      advice: null,
      found: `${name} was opened 0 minutes ago: it is whole, with 3 devices.`,
    })
    const broken = openSync(join(backup, name), 'r+')
    writeSync(broken, Buffer.alloc(4096, 0xa5), 0, 4096, 3 * 4096)
    closeSync(broken)
    clock.advance(86_400_000)
    await using service = await startService({ clock, config, data, ...(application && { application }) })
    clock.advance(10_000)
    await service.logged(({ event }) => event === 'the newest backup was not verified')
    const answer = await fetch(`${service.adminUrl}/readyz`)
    const { warnings, checks } = (await answer.json()) as Readiness
    expect([answer.status, checks.backups]).toEqual([200, 'warning'])
    const what = `The backup ${name} is not good: `
    expect(warnings).toEqual([expect.stringContaining(what)])
    expect(await (await fetch(`${service.adminUrl}/metrics`)).text()).toContain(
      '\nbellhop_backup_verification_failed 1\n',
    )
    expect(judgeVerified(readVerification(data), clock.now())).toMatchObject({
      state: 'failed',
      found: expect.stringContaining(what),
    })
  })

  test('is not started for a place that is none, or a bucket without credentials', async () => {
    const clock = createFakeClock()
    const log = createLog('error', clock.now, () => {})
    const start = (backup: string, env = {}) => {
      const config = { backup, backupEvery: 1, backupKeep: 1, backupVerify: 'on' as const, data: directories.root }
      return startBackups(config, { clock, log, env })
    }
    expect(() => start('ftp://x')).toThrow(
      '--backup (BELLHOP_BACKUP): "ftp://x" is not a place for backups: a path, or s3://bucket/prefix/.',
    )
    expect(() => start('s3://shop')).toThrow('There are no credentials for the bucket')
    await using bucket = start('s3://shop', { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' })
    expect(bucket?.state()).toEqual({
      lastSuccessAt: null,
      lastError: null,
      everyMs: 1,
      verified: { lastSuccessAt: null, lastError: null },
    })
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
    // It says that no person asked for it.
    expect(given.filter((each) => /^(BELLHOP_|CREDENTIALS_)/.test(each))).toEqual(['BELLHOP_ACTING_FOR={}'])
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
    s3.reply = ({ method }) => {
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
