import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { helpText } from '../../src/cli/help.ts'
import { run } from '../../src/cli/run.ts'
import { StartRefused } from '../../src/failure.ts'
import { VERSION } from '../../src/version.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { commandLine, refused } from './command-line.ts'

describe('bellhop', () => {
  test('without a command prints the help on standard error, with exit code 2', async () => {
    using cli = commandLine()
    expect(await cli.run([])).toEqual({ exitCode: 2, stdout: '', stderr: helpText('', 80) })
  })

  test('help and --help print it on standard output, with exit code 0', async () => {
    using cli = commandLine()
    expect(await cli.run(['help'])).toEqual({ exitCode: 0, stdout: helpText('', 80), stderr: '' })
    expect(await cli.run(['app', 'create', '--help'])).toEqual({
      exitCode: 0,
      stdout: helpText('app create', 80),
      stderr: '',
    })
  })

  test('help is as wide as the terminal that it is for, and 80 columns where it is for none', async () => {
    using cli = commandLine()
    const { stdout } = await cli.run(['help', 'serve'], {}, { terminal: { columns: 60 } })
    expect(stdout).toBe(helpText('serve', 60))
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
    expect((await cli.run(['help', 'serve'], {}, { terminal: { columns: 0 } })).stdout).toBe(helpText('serve', 80))
  })

  test('--version prints one line, with --json for programs', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['--version'])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^bellhop \d+\.\d+\.\d+ \(from source\), Bun \d+\.\d+\.\d+, SQLite 3\.\d+\.\d+\n$/)
    for (const same of ['version', '-v', '-V']) expect(await cli.run([same])).toEqual({ exitCode, stdout, stderr })
    const json = (await cli.run(['--version', '--json'])).stdout
    expect((await cli.run(['version', '--json'])).stdout).toBe(json)
    expect(JSON.parse(json)).toEqual({
      version: VERSION,
      commit: null,
      bun: Bun.version,
      schema: NEWEST_SCHEMA,
      sqlite: expect.stringMatching(/^3\.\d+\.\d+$/),
    })
  })
})

describe('bellhop serve', () => {
  test('serves with its settings, and its exit code is the server’s', async () => {
    using cli = commandLine()
    const printed = await cli.run(['serve', '--listen', '127.0.0.1:0', '--max-in-flight', '300'])
    expect(printed).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(cli.served).toHaveLength(1)
    expect(cli.served[0]).toMatchObject({ data: cli.data, listen: { host: '127.0.0.1', port: 0 }, maxInFlight: 300 })
  })

  test('starts when it is ready and not before, as the server says; any other command does when it is loaded', async () => {
    using cli = commandLine()
    await cli.run(['serve'])
    expect(cli.starts).toBe(0)
    await cli.run(['version'])
    expect(cli.starts).toBe(1)
  })

  test('prints all problems and serves nothing', async () => {
    using cli = commandLine()
    expect(await cli.run(['serve', '--listen', 'foo', '--prot', '1'], { BELLHOP_LISTN: '' })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'bellhop: BELLHOP_LISTN is not a setting and is ignored. Did you mean BELLHOP_LISTEN?',
        'bellhop: --prot is not a flag of this command. Did you mean --proxy?',
        'bellhop: --listen (BELLHOP_LISTEN): "foo" is not host:port, such as 127.0.0.1:8790',
        '',
      ].join('\n'),
    })
    expect(cli.served).toEqual([])
  })

  for (const value of ['0', 'false']) {
    test(`refuses to start with NODE_TLS_REJECT_UNAUTHORIZED=${value}`, async () => {
      using cli = commandLine()
      expect(await cli.run(['serve'], { NODE_TLS_REJECT_UNAUTHORIZED: value })).toEqual(
        refused(
          2,
          "NODE_TLS_REJECT_UNAUTHORIZED lets anyone impersonate Apple or Google: unset it. Use --gateway-ca for a private gateway's certificate.",
        ),
      )
      expect(cli.served).toEqual([])
    })
  }
})

describe('a place for backups that is none', () => {
  const NAME = 'a bucket name of 3 to 63 letters, digits, dots, hyphens and underscores'
  for (const place of ['s3://', 's3://b/x', 's3://BAD_bucket!!/x', 'ftp://x']) {
    test(`is a wrong setting of serve, config and systemd: ${place}`, async () => {
      using cli = commandLine()
      const said = `bellhop: --backup (BELLHOP_BACKUP): "${place}" is not a directory, or s3://bucket/prefix with ${NAME}\n`
      for (const name of ['serve', 'config', 'systemd']) {
        const { exitCode, stderr } = await cli.run([name, '--backup', place])
        expect({ name, exitCode, stderr }).toEqual({ name, exitCode: 2, stderr: said })
      }
      expect(cli.served).toEqual([])
    })
  }

  test('is a bucket without credentials, too, where the environment should have them', async () => {
    using cli = commandLine()
    for (const name of ['serve', 'config']) {
      const { exitCode, stderr } = await cli.run([name, '--backup', 's3://shop/'])
      expect({ name, exitCode, stderr }).toEqual({
        name,
        exitCode: 2,
        stderr:
          "bellhop: --backup (BELLHOP_BACKUP): There are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and for other services than Amazon's AWS_ENDPOINT_URL_S3.\n",
      })
    }
  })
})

describe('what goes wrong while it serves', () => {
  async function serving(error: Error): Promise<{ exitCode: number; stderr: string }> {
    let stderr = ''
    const exitCode = await run(['serve'], {
      env: {},
      stdout: () => {},
      stderr: (text) => void (stderr += text),
      clock: createFakeClock(),
      readFile: () => ({ kind: 'problem', problem: 'is not there' }),
      terminal: null,
      signals: new EventEmitter(),
      async serveCommand() {
        throw new Error('not served')
      },
      started: () => {},
      async serve() {
        throw error
      },
    })
    return { exitCode, stderr }
  }

  test('a refused start is its sentence alone, with exit code 1', async () => {
    expect(await serving(new StartRefused('Another Bellhop serves ./bellhop-data.'))).toEqual({
      exitCode: 1,
      stderr: 'bellhop: Another Bellhop serves ./bellhop-data.\n',
    })
  })

  test('a port in use, a full disk, a busy database are a sentence', async () => {
    const coded = (code: string, message: string) => Object.assign(new Error(message), { code })
    expect(await serving(coded('EADDRINUSE', 'Failed to start server. Is port 8790 in use?'))).toEqual({
      exitCode: 1,
      stderr: 'bellhop: Failed to start server. Is port 8790 in use?\n',
    })
    expect((await serving(coded('SQLITE_FULL', 'database or disk is full'))).stderr).toBe(
      'bellhop: The disk of the data directory is full: nothing more can be written, and what was stored is safe. Make room, and try again.\n',
    )
    expect((await serving(coded('SQLITE_BUSY', 'database is locked'))).stderr).toBe(
      'bellhop: The database is busy: another process is writing to it. Try again.\n',
    )
  })

  test('a bug is not a sentence: it rejects', async () => {
    for (const error of [new Error('bug'), Object.assign(new Error('bug'), { code: 'ERR_INVALID_ARG_TYPE' })]) {
      expect(await serving(error).catch((thrown: unknown) => thrown)).toBe(error)
    }
  })
})
