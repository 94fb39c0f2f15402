import { describe, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { lockDirectory } from '../../../src/database/directory-lock.ts'
import { commandSocketIn } from '../../../src/server/command/command-socket.ts'
import { VERSION } from '../../../src/version.ts'
import { command, PROGRAM, serve } from '../../support/service-process.ts'
import { fileService } from '../../support/file-service.ts'
import { startService } from '../../support/service.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'
import { commandLine, jsonLines, printed, refused, withShop } from '../command-line.ts'
import { HASTY } from '../everyday-service.ts'

const listed = async (data: string) => (await command(['app', 'list', '--data', data])).stdout

const service = await fileService()

describe('commands beside a server', () => {
  test('run in the server: what they change counts at once, and is in the audit log', async () => {
    using cli = commandLine()
    const beside = (...argv: string[]) => cli.run(argv, { BELLHOP_DATA: service.data })
    const { id, secret } = JSON.parse((await beside('app', 'create', 'Shop', '--json')).stdout)
    const application = { id, secret }
    const ask = (more = {}) => service.get('/pushes', { application, ...more })
    expect((await ask()).status).toBe(200)
    await beside('app', 'limits', id, '--backend-rate', '1', '--backend-burst', '1')
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
    const { secret: next } = JSON.parse((await beside('app', 'rotate-secret', id, '--json')).stdout)
    expect((await ask()).status).toBe(401)
    await beside('app', 'limits', id, '--backend-rate', '0')
    expect((await ask({ application: { id, secret: next } })).status).toBe(200)
    expect(jsonLines((await beside('audit', id, '--json')).stdout)).toMatchObject([
      { action: 'change limits', who: expect.stringMatching(/^command /), result: 'ok' },
      { action: 'rotate secret' },
      { action: 'change limits', changes: { backendBurst: { after: 1 } } },
      { action: 'create application', command: 'bellhop app create Shop --json' },
    ])
  })

  test('print there what they print alone, with their exit code, and read files that the server cannot', async () => {
    using cli = commandLine()
    const beside = (...argv: string[]) => cli.run(argv, { BELLHOP_DATA: service.data })
    const password = cli.file('password', 'correct horse battery staple')
    expect(await beside('admin', 'add', 'ann', '--password-file', password)).toEqual(printed('"ann" has been added.'))
    expect(await beside('admin', 'add', 'bob', '--password-file', '/nowhere')).toEqual(
      refused(1, '/nowhere cannot be read: there is no such file.'),
    )
    expect(await beside('app', 'delete', 'test')).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await beside('app', 'show', 'Nope')).toEqual(
      refused(1, `There is no application "Nope" in ${service.data}: bellhop app list lists them.`),
    )
  })

  test('what another process has changed is taken up when it says so', async () => {
    using cli = commandLine()
    const file = cli.file('devices.csv', 'token,platform,user\nandroid:1,android,ann\n')
    const env = { BELLHOP_DATA: service.data }
    expect(await cli.run(['import', 'test', file], env, { clock: HASTY })).toMatchObject({ exitCode: 0 })
    const token = { token: 'android:2', platform: '1', user: 'ann' }
    // It replaces the imported one.
    expect((await service.put('/deviceToken', token)).status).toBe(200)
    const { stdout } = await cli.run(['user', 'show', 'test', 'ann', '--json'], env)
    expect(jsonLines(stdout)).toMatchObject([{ token: 'android:2' }])
  })

  test('say in a sentence that the server was killed, and of a push what becomes of it', async () => {
    using place = temporaryDirectory('bellhop-socket')
    const server = await serve(place.path)
    const { id } = JSON.parse((await command(['app', 'create', 'Shop', '--json', '--data', place.path])).stdout)
    await command(['app', 'simulate', 'Shop', '--data', place.path])
    await fetch(`${server.url}/deviceToken`, {
      method: 'PUT',
      headers: { 'accept-version': '1', 'content-type': 'application/json', 'x-service-appid': id },
      body: JSON.stringify({ token: 'bad00000'.padEnd(64, '1'), platform: '0' }),
    })
    const started = (...argv: string[]) => {
      const child = Bun.spawn([...PROGRAM, ...argv, '--data', place.path], { stdout: 'pipe', stderr: 'pipe' })
      return { child, said: child.stderr.pipeThrough(new TextDecoderStream()).getReader() }
    }
    const tail = started('tail')
    const shown = tail.child.stdout.getReader().read()
    const push = started('push', 'Shop', 'Hello', '--all')
    expect((await push.said.read()).value).toMatch(/^push [\da-f-]{36}\n$/)
    await shown
    await server.kill('SIGKILL')
    expect((await push.said.read()).value).toBe(
      'The server has stopped: the push continues when bellhop serve runs again.\n',
    )
    expect((await tail.said.read()).value).toBe(`bellhop: The server on ${place.path} closed the connection.\n`)
    expect([await push.child.exited, await tail.child.exited]).toEqual([0, 1])
  })

  test('of two data directories each has its own server', async () => {
    await using other = await startService()
    using cli = commandLine()
    await cli.run(['app', 'create', 'Bakery'], { BELLHOP_DATA: other.data })
    const names = async (data: string) =>
      JSON.parse((await cli.run(['app', 'list', '--json', '--data', data])).stdout).map(({ name }: any) => name)
    expect(await names(service.data)).not.toContain('Bakery')
    expect(await names(other.data)).toEqual(['test', 'Bakery'])
  })

  test('are refused by a server of another version, and by one that takes none', async () => {
    const response = await fetch('http://bellhop/command', {
      unix: commandSocketIn(service.data),
      method: 'POST',
      body: JSON.stringify({ version: '0.0.1', argv: ['app', 'list'], files: {} }),
    })
    expect(jsonLines(await response.text())).toEqual([
      {
        err: `bellhop: The server on ${service.data} is Bellhop ${VERSION}, and this program is 0.0.1: use the same, or restart the server.\n`,
      },
      { exit: 1 },
    ])
    using cli = await withShop()
    using _ = lockDirectory(cli.data)
    expect(await cli.run(['app', 'list'], {}, { clock: HASTY })).toEqual(
      refused(
        1,
        `A server is running on ${cli.data} but does not accept commands: it is starting, stopping, or another version. Try again, use its executable, or --server.`,
      ),
    )
  })

  test('Ctrl-C ends one that listens to it, and the one that does not for whoever typed it', async () => {
    using place = temporaryDirectory('bellhop-socket')
    await using service = await serve(place.path)
    await command(['app', 'create', 'Shop', '--data', place.path])
    const tail = Bun.spawn([...PROGRAM, 'tail', '--data', place.path], { stdout: 'pipe', stderr: 'pipe' })
    const first = tail.stdout.getReader().read()
    const seen = { yet: false }
    void first.then(() => (seen.yet = true))
    for (let n = 0; !seen.yet; n++) {
      // oxlint-disable-next-line no-await-in-loop -- it begins to look some time after its start
      await command(['push', 'Shop', 'Hello', '--all', '--no-wait', '--data', place.path])
    }
    tail.kill('SIGINT')
    expect(await tail.exited).toBe(0)
    expect(service.log()).not.toContain('"level":"error"')
  })
})

describe('the socket', () => {
  test('is for the user of the server alone, and goes with it', async () => {
    let path = ''
    {
      await using service = await startService()
      path = commandSocketIn(service.data)
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(path).isSocket()).toBe(true)
    }
    expect(existsSync(path)).toBe(false)
  })

  test('that a killed server left behind is nobody’s: commands run alone, and the next server replaces it', async () => {
    using place = temporaryDirectory('bellhop-socket')
    const service = await serve(place.path)
    await command(['app', 'create', 'Shop', '--data', place.path])
    await service.kill('SIGKILL')
    expect(existsSync(commandSocketIn(place.path))).toBe(true)
    expect(await command(['app', 'limits', 'Shop', '--rate', '7', '--data', place.path])).toMatchObject({ exitCode: 0 })
    await using again = await serve(place.path)
    expect(await listed(place.path)).toContain('Shop')
    expect(await again.kill('SIGTERM')).toBe(0)
    expect(existsSync(commandSocketIn(place.path))).toBe(false)
  })

  test('works in a directory whose path is longer than the address of a socket', async () => {
    using place = temporaryDirectory('bellhop-socket')
    const data = join(place.path, 'd'.repeat(120))
    mkdirSync(data)
    await using _ = await serve(data)
    expect(await command(['app', 'create', 'Shop', '--data', data])).toMatchObject({ exitCode: 0 })
    expect(await listed(data)).toContain('Shop')
  })

  test('whose server does not answer says that the command waits for it, until Ctrl-C', async () => {
    using cli = await withShop()
    let asked = 0
    const server = createServer((connection) => connection.once('data', () => asked++))
    await new Promise<void>((resolve) => server.listen(commandSocketIn(cli.data), resolve))
    const signals = new EventEmitter()
    let said = ''
    const ended = cli.run(['app', 'list'], {}, { signals, stderr: (text) => void (said += text) })
    await until(() => asked === 1)
    cli.clock.advance(1000)
    await until(() => asked === 2)
    cli.clock.advance(3000)
    await until(() => said !== '')
    expect(said).toBe(`bellhop: Waiting for the server on ${cli.data}, which does not answer.\n`)
    signals.emit('SIGINT')
    expect((await ended).exitCode).toBe(130)
    server.close()
  })

  test('whose server is killed meanwhile says so', async () => {
    using cli = await withShop()
    const server = createServer((connection) => connection.once('data', () => connection.destroy()))
    await new Promise<void>((resolve) => server.listen(commandSocketIn(cli.data), resolve))
    try {
      expect(await cli.run(['app', 'list'])).toEqual(refused(1, `The server on ${cli.data} closed the connection.`))
      expect(await cli.run(['app', 'create', 'Bakery'])).toEqual(
        refused(1, `The server on ${cli.data} closed the connection; whether the command finished is unknown.`),
      )
    } finally {
      server.close()
    }
    writeFileSync(commandSocketIn(cli.data), '')
    expect(await cli.run(['app', 'list'])).toMatchObject({ exitCode: 0 })
  })
})
