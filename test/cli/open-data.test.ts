import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from '../../src/cli/data-directory.ts'
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { readSystemFile } from '../../src/system/read-file.ts'
import { command } from '../support/service-process.ts'
import { commandLine, refused, withShop } from './command-line.ts'

const NOBODY = 65_534
const MAIN = join(import.meta.dir, '../../src/main.ts')

describe('the data directory of a command', () => {
  const found = (flag: string | null, env: Readonly<Record<string, string>>, unit: string) =>
    dataDirectory(new Map(flag === null ? [] : [['data', flag]]), { env, readFile: readSystemFile }, unit)

  test('that nobody has named is that of the unit, where there is one and no usual one', () => {
    using line = commandLine()
    const unit = join(line.data, 'unit')
    expect(found(null, {}, unit)).toMatchObject({ data: './bellhop-data' })
    // As systemd links it.
    symlinkSync('private/bellhop', unit)
    expect(found(null, {}, unit)).toMatchObject({ data: unit })
    expect(found('elsewhere', {}, unit)).toMatchObject({ data: 'elsewhere' })
    expect(found(null, { BELLHOP_DATA: 'mine' }, unit)).toMatchObject({ data: 'mine' })
  })

  test.skipIf(process.getuid?.() !== 0)('that this user may not look into is said to be so', async () => {
    using line = commandLine()
    expect(await line.run(['app', 'create', 'Shop'])).toMatchObject({ exitCode: 0 })
    chmodSync(line.data, 0o700)
    process.seteuid?.(NOBODY)
    try {
      for (const argv of [['stats'], ['backup', '/tmp/nobody.db'], ['export', 'Shop', '-'], ['restore', '/dev/null']]) {
        expect(await line.run(argv)).toEqual(
          refused(
            1,
            `The data directory ${line.data} cannot be read by user nobody: it belongs to user root. Use sudo, or run this as its owner.`,
          ),
        )
      }
      process.seteuid?.(0)
      chownSync(line.data, NOBODY, NOBODY)
      chmodSync(line.data, 0o400)
      process.seteuid?.(NOBODY)
      expect(await line.run(['stats'])).toEqual(
        refused(
          1,
          `The data directory ${line.data} is yours, but its mode forbids to read it: chmod -R u+rwX ${line.data}`,
        ),
      )
    } finally {
      process.seteuid?.(0)
    }
  })

  test.skipIf(process.getuid?.() !== 0)(
    'is no place for what this user may not read: that is not damaged',
    async () => {
      using line = commandLine()
      using directory = commandLine()
      const theirs = line.file('theirs.db', '')
      chmodSync(theirs, 0o600)
      chmodSync(line.data, 0o755)
      {
        const argv = ['backup', 'verify', theirs]
        // access(2) asks for the real user.
        const child = Bun.spawn(['setpriv', '--reuid=65534', '--clear-groups', process.execPath, MAIN, ...argv], {
          cwd: '/',
          env: { ...process.env, BELLHOP_DATA: directory.data },
          stderr: 'pipe',
        })
        expect(await child.exited).toBe(1)
        expect(await child.stderr.text()).toBe(
          `bellhop: ${theirs} is not readable, or not writable there, for this user: use sudo, or run as its owner.\n`,
        )
      }
    },
  )

  // An installed Bellhop's data would be used.
  test.skipIf(existsSync('/var/lib/bellhop'))('that a server holds is named, where there is none', async () => {
    using line = await withShop()
    using _ = lockDirectory(line.data)
    const empty = join(line.data, 'empty')
    mkdirSync(empty)
    const child = Bun.spawn([process.execPath, MAIN, 'stats'], {
      cwd: empty,
      env: { ...process.env, BELLHOP_DATA: '' },
      stderr: 'pipe',
    })
    expect(await child.exited).toBe(1)
    // Others may be named before it.
    expect(await child.stderr.text()).toMatch(/--data selects another\. A Bellhop is running here with --data \/\S+/)
  })

  test('that cannot be made, and a file that has no directory to be in, is one sentence', async () => {
    using line = await withShop()
    expect(await line.run(['export', 'Shop', '/nonexist/x'])).toEqual(
      refused(
        1,
        '/nonexist/x.unfinished cannot be created or opened: there is no directory /nonexist. Create or mount it.',
      ),
    )
    expect(await command(['serve', '--data', '/proc/x'])).toEqual(
      refused(1, 'No data directory can be made at /proc/x: /proc takes none. Name another one (--data).'),
    )
  })
})
