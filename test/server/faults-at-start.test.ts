import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { startRefusalOf } from '../../src/database/storage-errors.ts'
import { StartRefused } from '../../src/failure.ts'
import { createLog } from '../../src/log.ts'
import { createServer } from '../../src/server/server.ts'
import { parseConfig } from '../../src/settings/parse.ts'
import { readSystemFile } from '../../src/system/read-file.ts'
import { commandLine } from '../cli/command-line.ts'
import { addSealed } from '../sealing/sealed-records.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { startService } from '../support/service.ts'
import type { LogLine } from '../support/service.ts'
import { storeDevices } from '../support/stored-devices.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/* What operators read when the disk, its permissions or the key are wrong. */
const NOBODY = 65_534
const MAIN = join(import.meta.dir, '../../src/main.ts')

const directory = directoryOfTests('bellhop-fault')

let made = 0
/** An application and 2,000 devices, all in `bellhop.db`. */
function dataDirectory(parent = directory): string {
  const data = join(parent, `data-${++made}`)
  using database = openDatabase(data)
  addSealed(database, Buffer.alloc(32, 7), 'Shop')
  writeFileSync(join(data, 'key'), Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  storeDevices(database, 2000, (n) => ({ token: tokenOf(n) }))
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  return data
}

function tokenOf(device: number): Uint8Array {
  const token = Buffer.alloc(32)
  token.writeUInt32BE(device)
  return token
}

/** Starts the service on `data` and stops it. Returns its log, or why it did not start. */
async function start(data: string, env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []) {
  const argv = ['--data', data, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', ...flags]
  const parsed = parseConfig(argv, env, readSystemFile)
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'))
  const lines: LogLine[] = []
  const log = createLog('info', Date.now, (line) => void lines.push(JSON.parse(line)))
  try {
    await using server = await createServer(parsed.config, { log })
    expect(server.url).toStartWith('http://')
  } catch (error) {
    const refusal = startRefusalOf(error, data)
    if (refusal instanceof StartRefused) return { refused: refusal.message, lines }
    throw error
  }
  return { refused: null, lines }
}

async function command(data: string): Promise<string | null> {
  using cli = commandLine()
  const { stderr, exitCode } = await cli.run(['app', 'create', 'News'], { BELLHOP_DATA: data })
  return exitCode === 0 ? null : stderr.replace(/^bellhop: (.*)\n$/s, '$1')
}

/** `serve` and a command complain alike. The command may not know the path. */
async function bothSay(data: string): Promise<string | null> {
  const said = await command(data)
  const { refused } = await start(data)
  expect(withoutPath(said, data)).toBe(withoutPath(refused, data))
  return refused
}

function withoutPath(sentence: string | null, data: string): string | null {
  return sentence?.replaceAll(`${data}/`, '').replaceAll(data, 'the data directory') ?? null
}

test('a data directory that others can enter is warned of, with what to do', async () => {
  const data = dataDirectory()
  const warned = async () => (await start(data)).lines.filter(({ event }) => String(event).startsWith('other users of'))
  expect(await warned()).toEqual([])
  chmodSync(data, 0o755)
  expect(await warned()).toMatchObject([
    { level: 'warn', event: `other users of this machine can open the data directory: chmod 700 ${data}` },
  ])
})

test('an address that is in use, or has no such name, is said with the flag that names it', async () => {
  await using other = await startService()
  const data = dataDirectory()
  for (const [flag, url] of [
    ['--listen', other.url],
    ['--admin-listen', other.adminUrl],
  ] as const) {
    const { host } = new URL(url)
    expect((await start(data, {}, [flag, host])).refused).toBe(
      `Cannot listen on ${host} (${flag}): another program listens there (EADDRINUSE), such as another Bellhop or its demo. End it, or choose another address.`,
    )
  }
  expect((await start(data, {}, ['--listen', 'nosuchhost.invalid:8000'])).refused).toBe(
    'Cannot listen on nosuchhost.invalid:8000 (--listen): the name has no address (EINVAL).',
  )
})

describe('a damaged database', () => {
  const damaged = (data: string) =>
    `The database ${data}/bellhop.db is damaged. Stop Bellhop and copy its directory before anything else; then restore a backup (bellhop restore), or save what can be read (sqlite3 ${data}/bellhop.db .recover | sqlite3 saved.db).`

  test.each([
    ['a page of its schema', 1, 2],
    ['every page but the first', 1, 1000],
  ])('in %s is refused, and left as it is', async (_, from, to) => {
    const data = dataDirectory()
    const path = join(data, 'bellhop.db')
    const file = openSync(path, 'r+')
    for (let page = from; page < Math.min(to, statSync(path).size / 4096); page++) {
      writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
    }
    closeSync(file)
    const before = Bun.hash(readFileSync(path))
    expect(await bothSay(data)).toBe(damaged(data))
    expect(Bun.hash(readFileSync(path))).toBe(before)
  })
})

describe('a data directory that cannot be used', () => {
  test('is a link to what is not there', async () => {
    const data = join(directory, 'link')
    symlinkSync('/nonexistent/bellhop', data)
    expect((await start(data)).refused).toBe(
      `${data} is a symbolic link that leads nowhere: make the directory it names, or name another one (--data).`,
    )
  })

  test('is a file', async () => {
    const data = join(directory, 'file')
    writeFileSync(data, '')
    expect((await start(data)).refused).toBe(`${data} is a file: no data directory can be there (--data).`)
  })

  test('has a file that another user owns, as after a command run as root', async () => {
    if (process.getuid?.() !== 0) return
    const data = dataDirectory()
    chmodSync(directory, 0o755)
    shell('chown', '-R', String(NOBODY), data)
    shell('chown', '0', join(data, 'bellhop.db'))
    expect(await startAsNobody(data)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: ${data}/bellhop.db cannot be written: it belongs to user 0 (mode 600), and Bellhop runs as user 65534. As root: chown -R 65534 ${data}; or name another data directory (--data).\n`,
    })
  })

  test('belongs to another user', async () => {
    if (process.getuid?.() !== 0) return
    chmodSync(directory, 0o755)
    const data = join(directory, 'roots')
    mkdirSync(data, { mode: 0o755 })
    expect(await startAsNobody(data)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: ${data} cannot be written: it belongs to user 0 (mode 755), and Bellhop runs as user 65534. As root: chown -R 65534 ${data}; or name another data directory (--data).\n`,
    })
  })

  test('belongs to its user, whose mode forbids to write', async () => {
    if (process.getuid?.() !== 0) return
    const data = dataDirectory()
    chmodSync(directory, 0o755)
    shell('chown', '-R', String(NOBODY), data)
    shell('chmod', '500', data)
    expect(await startAsNobody(data)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: ${data} cannot be written: it belongs to user 65534 (mode 500), as whom Bellhop runs, but the mode forbids it. Run chmod -R u+rwX ${data}, or name another data directory (--data).\n`,
    })
  })

  async function startAsNobody(data: string) {
    const child = Bun.spawn([process.execPath, MAIN, 'serve', '--data', data, '--listen=127.0.0.1:0'], {
      uid: NOBODY,
      gid: NOBODY,
      env: { ...process.env, HOME: '/tmp' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { exitCode: await child.exited, stdout, stderr }
  }
})

describe('the sealing key', () => {
  const key = (data: string) => join(data, 'key')
  const lost =
    'If that key is lost for good, bellhop key rotate --discard erases them, and each application needs its credentials again.'
  const warnings = (lines: readonly LogLine[]) =>
    lines.filter(({ level }) => level !== 'info').map(({ event }) => event)
  const beside =
    'the sealing key is in the data directory, so a copy of the directory contains both: move it with bellhop key rotate --to FILE'

  test('that lies in the data directory is told of at each start, and warned of when others may read it', async () => {
    const data = dataDirectory()
    const { lines } = await start(data)
    expect(lines).toContainEqual(expect.objectContaining({ level: 'info', event: beside }))
    expect(warnings(lines)).toEqual([])
    chmodSync(key(data), 0o640)
    expect(warnings((await start(data)).lines)).toEqual([
      `users other than its owner can read the sealing key: chmod 600 ${key(data)}`,
    ])
    const elsewhere = { BELLHOP_KEY: readFileSync(key(data), 'utf8') }
    expect(warnings((await start(data, elsewhere)).lines)).toEqual([])
  })

  test('of which nothing is sealed yet is nothing to warn of', async () => {
    const data = join(dataDirectory(), 'new')
    expect(warnings((await start(data)).lines)).toEqual([])
    expect(existsSync(key(data))).toBe(true)
  })

  test('that is missing keeps the service from starting, and no other is made', async () => {
    const data = dataDirectory()
    renameSync(key(data), join(data, 'hidden'))
    const missing = `The sealing key ${key(data)} is missing and the database holds credentials sealed with it: put the file back, or give the key as BELLHOP_KEY_FILE. ${lost}`
    expect((await start(data)).refused).toBe(missing)
    expect(existsSync(key(data))).toBe(false)
    renameSync(join(data, 'hidden'), key(data))
    expect((await start(data)).refused).toBeNull()
  })

  test('that is wrong keeps the service from starting', async () => {
    const data = dataDirectory()
    renameSync(key(data), join(data, 'hidden'))
    const wrong = (which: string) =>
      `The sealing key ${which} does not open any of the 4 sealed records in the database (of "Shop"): put the right key back. ${lost}`
    const settings = 'of the settings (BELLHOP_KEY, BELLHOP_KEY_FILE or the systemd credential bellhop-key)'
    expect((await start(data, { BELLHOP_KEY: 'ab'.repeat(32) })).refused).toBe(wrong(settings))
    writeFileSync(key(data), 'ab'.repeat(32))
    expect((await start(data)).refused).toBe(wrong(key(data)))
    expect((await start(data, { BELLHOP_KEY_FILE: join(data, 'hidden') })).refused).toBeNull()
  })

  test('that does not open one record of several is right: the service starts, and names the record', async () => {
    const data = dataDirectory()
    using database = openDatabase(data)
    database.statement(`UPDATE credential SET sealed = x'00' WHERE provider = 'apns'`).run()
    const { id } = database.statement<{ id: string }, []>('SELECT id FROM application').get() ?? { id: '' }
    const { refused, lines } = await start(data)
    expect(refused).toBeNull()
    expect(warnings(lines)).toContain(
      `The APNs credential of "Shop" is damaged: it does not open with the sealing key, which opens others of the 4 sealed records. Store it again: bellhop app apns ${id} …`,
    )
  })

  test('of a rotation that was killed takes its place', async () => {
    const data = dataDirectory()
    await Bun.spawn([process.execPath, join(import.meta.dir, '../sealing/rotate-until.ts'), data, 'committed']).exited
    const next = readFileSync(join(data, 'key.next'), 'utf8')
    expect((await start(data)).refused).toBeNull()
    expect(readFileSync(key(data), 'utf8')).toBe(next)
    expect(existsSync(join(data, 'key.next'))).toBe(false)
  })
})

describe('a disk', () => {
  const disks = new DisposableStack()
  afterAll(() => disks.dispose())

  /** An empty disk for each test. `null`: mounting needs root, and not every system allows it. */
  async function mountDisk(): Promise<string | null> {
    const disk = disks.use(temporaryDirectory('bellhop-disk')).path
    if (!shell('mount', '-t', 'tmpfs', '-o', 'size=4m,mode=700', 'bellhop-test', disk)) return null
    // Lazily: a database keeps its files open until its statements are collected.
    disks.defer(() => void shell('umount', '-l', disk))
    return disk
  }

  test('that is read-only is said to be so, and nothing is lost', async () => {
    const disk = await mountDisk()
    if (disk === null) return
    const data = join(disk, 'read-only')
    // A copy: files that this process has open for writing prevent a remount.
    cpSync(dataDirectory(), data, { recursive: true })
    shell('mount', '-o', 'remount,ro', disk)
    try {
      expect(await bothSay(data)).toBe(
        `${data} is on a disk that is mounted read-only: Bellhop must write there. Mount it writable, or name another data directory (--data).`,
      )
    } finally {
      shell('mount', '-o', 'remount,rw', disk)
    }
    expect(await bothSay(data)).toBeNull()
  })

  test.each([['with a database'], ['without']])(
    'that is full is said to be so, and nothing is lost: %s',
    async (which) => {
      const disk = await mountDisk()
      if (disk === null) return
      const data = which === 'without' ? join(disk, 'empty') : dataDirectory(disk)
      const ballast = join(disk, 'ballast')
      fill(ballast)
      expect(await bothSay(data)).toBe(
        `The disk of ${data} is full: nothing more can be written, and what was stored is safe. Make room, and try again.`,
      )
      rmSync(ballast)
      expect(await bothSay(data)).toBeNull()
      if (which === 'without') return
      using database = openDatabase(data)
      expect(database.statement<{ n: number }, []>('SELECT count(*) AS n FROM device').get()?.n).toBe(2000)
    },
  )

  function fill(path: string): void {
    const file = openSync(path, 'w')
    try {
      for (;;) writeSync(file, Buffer.alloc(4096))
    } catch {
      // The disk is full.
    } finally {
      closeSync(file)
    }
  }
})

function shell(...words: readonly string[]): boolean {
  return Bun.which(words[0] ?? '') !== null && Bun.spawnSync([...words], { stderr: 'ignore' }).success
}
