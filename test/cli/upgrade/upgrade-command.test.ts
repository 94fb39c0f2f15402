import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lockDirectory } from '../../../src/database/directory-lock.ts'
import { NEWEST_SCHEMA } from '../../../src/database/migration/migrations.ts'
import { schemaOfFile } from '../../../src/database/offline-database.ts'
import { inTurn, testInTurn } from '../../support/in-turn.ts'
import { minisignSigner } from '../../support/minisign.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'
import { machine, processesIn, removeFilled } from './stage/machine.ts'
import type { Machine } from './stage/machine.ts'
import { compileProgram, TARGET } from './stage/programs.ts'
import { refused } from '../command-line.ts'

/* Compiled programs that install and restart each other: 0.1.0 is installed, 0.2.0 is good, and 9.9.9 never gets ready. 0.2.0 is compiled as a private build without a key. */

const SIGNER = minisignSigner()
const temporary = temporaryDirectory('bellhop-upgrade')
const folder = temporary.path
const OLD = join(folder, 'old')
const NEXT = join(folder, `bellhop-0.2.0-${TARGET}`)
const BROKEN = join(folder, `bellhop-9.9.9-${TARGET}`)
const isRoot = process.geteuid?.() === 0
/** Only the broken version opens it. */
const RAISED = NEWEST_SCHEMA + 1

function signFile(path: string, comment: string, by = SIGNER): void {
  writeFileSync(`${path}.minisig`, by.sign(readFileSync(path), comment))
}

let web: Bun.Server<undefined>
beforeAll(async () => {
  const broken = 'test/cli/upgrade/stage/broken.ts'
  await Promise.all([
    compileProgram({ version: '0.1.0', releaseKey: SIGNER.publicKey, outfile: OLD }),
    compileProgram({ version: '0.2.0', releaseKey: '', outfile: NEXT }),
    compileProgram({ version: '9.9.9', releaseKey: '', entry: broken, outfile: BROKEN }),
  ])
  signFile(NEXT, `bellhop 0.2.0 ${TARGET}`)
  signFile(BROKEN, `bellhop 9.9.9 ${TARGET}`)
  const sums = [`bellhop-0.2.0-${TARGET}`, `bellhop-0.2.0-${TARGET}.cdx.json`, 'bellhop-0.2.0-other-x64']
  const lines = sums.map((name) => `${'0'.repeat(64)}  ${name}\n`).join('')
  web = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const [, place = '', name = ''] = new URL(request.url).pathname.split('/')
      if (name === 'SHA256SUMS') return new Response(place === 'twice' ? lines + lines : lines)
      const file = Bun.file(join(folder, name))
      if (!(await file.exists())) return new Response('not found', { status: 404 })
      if (name.endsWith('.minisig') || place !== 'slow') return new Response(file)
      // Half the file, and no end.
      const half = file.slice(0, file.size / 2)
      const body = new ReadableStream({
        async start(controller) {
          for await (const chunk of half.stream()) controller.enqueue(chunk)
        },
      })
      return new Response(body)
    },
  })
})
afterAll(async () => {
  await web.stop(true)
  removeFilled()
  temporary[Symbol.dispose]()
})

/** The good release at this path of `web`. */
const addressOf = (place: string) => `${web.url.href}${place}/${basename(NEXT)}`

/** A good release, or an empty file, with this signature. */
function offered(comment: string, by = SIGNER, executable: string | null = null): string {
  const path = join(mkdtempSync(join(folder, 'offer-')), 'bellhop')
  if (executable === null) writeFileSync(path, '')
  else linkSync(executable, path)
  signFile(path, comment, by)
  return path
}

/** The broken release with the good one's signature. */
function exchanged(): string {
  const path = join(mkdtempSync(join(folder, 'offer-')), 'bellhop')
  linkSync(BROKEN, path)
  writeFileSync(`${path}.minisig`, readFileSync(`${NEXT}.minisig`))
  return path
}

function versionOf({ program }: Machine): string {
  return JSON.parse(Bun.spawnSync([program, 'version', '--json']).stdout.toString()).version
}

function stateOf(one: Machine) {
  return { version: versionOf(one), files: readdirSync(one.bin).toSorted(), devices: one.devices() }
}

const UNTOUCHED = { version: '0.1.0', files: ['bellhop'], devices: 3 }

/** Can be called. */
async function answers(one: Machine, version: string): Promise<void> {
  expect(await one.state()).toMatchObject({ version, ready: true })
  // Application headers are missing.
  expect((await fetch(`${one.apiUrl}/deviceToken`, { method: 'PUT' })).status).toBe(400)
  expect(one.devices()).toBe(3)
}

describe('bellhop upgrade', () => {
  test('replaces the program and the server, which serves the same data at the same address', async () => {
    await using one = await machine(OLD)
    const before = await one.serve({ BELLHOP_LOG_LEVEL: 'warn' })
    chmodSync(one.program, 0o750)
    expect(await one.run(['upgrade', '--from', NEXT])).toEqual({
      exitCode: 0,
      stdout: `${one.program} is bellhop 0.2.0. The version before is ${one.program}.before.\nThe server is ready.\n`,
      stderr: expect.stringMatching(
        /^bellhop: The database was backed up to \S+\/before-upgrade\/bellhop-\S+\.db\.\n$/,
      ),
    })
    await answers(one, '0.2.0')
    const after = await one.state()
    expect(after?.pid).not.toBe(before.pid)
    expect(readFileSync(`/proc/${after?.pid}/environ`, 'utf8')).toContain('BELLHOP_LOG_LEVEL=warn')
    expect(statSync(one.program).mode & 0o777).toBe(0o750)
    expect(readdirSync(one.bin).toSorted()).toEqual(['bellhop', 'bellhop.before'])
    const log = (await one.run(['audit', '--json'])).stdout.split('\n')
    const entry = log.find((line) => line.includes('"upgrade"')) ?? ''
    expect(JSON.parse(entry)).toMatchObject({ result: 'ok', detail: { from: '0.1.0', to: '0.2.0' } })

    const key = join(folder, 'key.pub')
    writeFileSync(key, `untrusted comment: minisign public key\n${SIGNER.publicKey}\n`)
    expect(await one.run(['upgrade', '--from', NEXT, '--key', key])).toEqual({
      exitCode: 0,
      stdout: `${one.program} is bellhop 0.2.0. The version before is ${one.program}.before.\nThe server runs it.\n`,
      stderr: '',
    })
    expect((await one.state())?.pid).toBe(after?.pid)
  })

  test('takes the release for this machine from the folder at an address, and says that no server runs', async () => {
    await using one = await machine(OLD)
    expect(await one.run(['upgrade', '--from', `${web.url.href}release/`])).toMatchObject({
      exitCode: 0,
      stdout: `${one.program} is bellhop 0.2.0. The version before is ${one.program}.before.\nNo server runs on ${one.data}.\n`,
    })
    expect(stateOf(one)).toEqual({ version: '0.2.0', files: ['bellhop', 'bellhop.before'], devices: 3 })
  })

  test('restarts the server by a command of yours', async () => {
    await using one = await machine(OLD)
    const { pid } = await one.serve()
    const arguments_ = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1).join(' ')
    const command = `kill ${pid}; while kill -0 ${pid}; do sleep 0.1; done; BY=hand setsid ${one.program} ${arguments_} > /dev/null 2>&1 &`
    expect(await one.run(['upgrade', '--from', NEXT, '--restart', command])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('The server is ready.'),
    })
    await answers(one, '0.2.0')
    expect(readFileSync(`/proc/${(await one.state())?.pid}/environ`, 'utf8')).toContain('BY=hand')
  })

  test('with --dry-run says what it would do, and does not', async () => {
    await using one = await machine(OLD)
    const { pid } = await one.serve()
    expect(await one.run(['upgrade', '--from', addressOf('release'), '--dry-run'])).toEqual({
      exitCode: 0,
      stdout: `${one.program} 0.1.0 would become 0.2.0, from ${addressOf('release')}.\nThe server (process ${pid}) would be restarted.\n`,
      stderr: '',
    })
    expect(stateOf(one)).toEqual(UNTOUCHED)
    expect((await one.state())?.pid).toBe(pid)
  })
})

describe('bellhop upgrade changes nothing', () => {
  let one: Machine
  beforeAll(async () => {
    one = await machine(OLD)
  })
  afterAll(() => one[Symbol.asyncDispose]())

  async function refusal(args: readonly string[], env = {}): Promise<string> {
    const { exitCode, stdout, stderr } = await one.run(['upgrade', ...args], env)
    expect({ exitCode, stdout, ...stateOf(one) }).toEqual({ exitCode: 1, stdout: '', ...UNTOUCHED })
    return stderr
  }

  test.each([
    ['another key', () => offered(`bellhop 0.2.0 ${TARGET}`, minisignSigner()), 'was made with another key'],
    ['another file', exchanged, 'does not fit its signature: it was changed, or is incomplete.'],
    ['another target', () => offered('bellhop 0.2.0 linux-riscv64'), `is for linux-riscv64, and this is ${TARGET}.`],
    ['an older version', () => offered(`bellhop 0.0.9 ${TARGET}`), 'is 0.0.9, older than 0.1.0'],
    ['another program', () => offered('coffee 1'), 'is signed as "coffee 1", which is not a release of Bellhop.'],
    [
      'another version than it is',
      () => offered(`bellhop 0.3.0 ${TARGET}`, SIGNER, NEXT),
      'is 0.2.0, but signed as 0.3.0.',
    ],
    ['nobody', () => OLD, `${OLD}.minisig cannot be read: there is no such file.`],
    ['nobody, at an address', () => `${web.url.href}release/none`, '/release/none.minisig answers 404.'],
    ['two, in a folder', () => `${web.url.href}twice/`, `/twice/SHA256SUMS does not name one release for ${TARGET}`],
  ])('for a release that is signed by or for %s', async (_, from, sentence) => {
    expect(await refusal(['--from', from()])).toContain(sentence)
  })

  test('for a download that is cut off', async () => {
    // Fewer bytes than promised.
    using cut = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket, request) {
          const isSignature = request.toString().includes('.minisig')
          const body = isSignature ? readFileSync(`${NEXT}.minisig`) : readFileSync(NEXT).subarray(0, 1_000_000)
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${isSignature ? body.length : statSync(NEXT).size}\r\n\r\n`)
          socket.write(body)
          socket.end()
        },
      },
    })
    const from = `http://127.0.0.1:${cut.port}/bellhop?token=secret`
    const said = await refusal(['--from', from])
    expect(said).toContain(`http://127.0.0.1:${cut.port}/bellhop could not be downloaded: `)
    expect(said).not.toContain('secret')
  })

  test('for an executable that does not run', async () => {
    const said = await refusal(['--from', BROKEN], { BROKEN: 'mute' })
    expect(said).toContain('The executable does not run on this machine (version --json: exit code 1).')
  })

  test('for a version that knows an older schema, and names the copy to go back to', async () => {
    const copy = join(one.data, `bellhop.db.before-${NEWEST_SCHEMA}`)
    const bytes = readFileSync(join(one.data, 'bellhop.db'))
    // The broken version then accepts this schema.
    bytes.writeUInt32BE(1, 60)
    writeFileSync(copy, bytes)
    const said = await refusal(['--from', BROKEN], { BROKEN: 'older' })
    rmSync(copy)
    expect(said).toContain(`The database has schema ${NEWEST_SCHEMA}, and that version knows 1.`)
    expect(said).toContain(`To go back: bellhop restore ${copy} --data ${one.data}`)
  })

  test('in a container', async () => {
    expect(await refusal(['--from', NEXT], { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toContain('change the image')
    if (!isRoot) return
    const inside = ['unshare', '--pid', '--fork', '--mount-proc', one.program, 'upgrade', '--from', NEXT]
    const { stderr } = Bun.spawnSync(inside, { env: { BELLHOP_DATA: one.data } })
    expect(stderr.toString()).toBe(
      'bellhop: Bellhop runs in a container here: change the image, and create the container again.\n',
    )
    expect(stateOf(one)).toEqual(UNTOUCHED)
  })

  test.skipIf(!isRoot)('for a user who cannot replace the program, and says how', async () => {
    chmodSync(dirname(one.bin), 0o755)
    const { stderr } = Bun.spawnSync(
      ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', one.program, 'upgrade', '--from', NEXT],
      { env: { BELLHOP_DATA: one.data } },
    )
    expect(stderr.toString()).toBe(
      `bellhop: ${one.program} cannot be replaced by user nobody: sudo bellhop upgrade --from ${NEXT}\n`,
    )
    expect(stateOf(one)).toEqual(UNTOUCHED)
  })

  test('for a server that does not answer', async () => {
    using lock = lockDirectory(one.data)
    expect(lock).not.toBeNull()
    expect(await refusal(['--from', NEXT])).toContain(`The server on ${one.data} does not answer`)
  })

  test('while another process upgrades', async () => {
    const draft = `${one.program}.new-${process.pid}`
    writeFileSync(draft, '')
    const { exitCode, stderr } = await one.run(['upgrade', '--from', NEXT])
    rmSync(draft)
    expect([exitCode, stderr]).toEqual([
      1,
      `bellhop: Process ${process.pid} is upgrading ${one.program}: wait for it to end.\n`,
    ])
    expect(stateOf(one)).toEqual(UNTOUCHED)
  })

  test('as an own build without a key', async () => {
    await using own = await machine(NEXT)
    expect(await own.run(['upgrade', '--from', NEXT])).toEqual(
      refused(2, 'This is your own build, which trusts no key: add --key FILE|BASE64.'),
    )
    expect(await own.run(['upgrade', '--from', NEXT, '--key', `${NEXT}.minisig`])).toEqual(
      refused(1, `--key: ${NEXT}.minisig is not a minisign public key.`),
    )
  })

  test.skipIf(!isRoot)('on a full disk', async () => {
    using own = temporaryDirectory('bellhop-small')
    const place = own.path
    const bytes = statSync(OLD).size + statSync(NEXT).size / 2
    expect(Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${Math.round(bytes)}`, 'tmpfs', place]).exitCode).toBe(0)
    try {
      const here = join(place, 'old')
      writeFileSync(here, readFileSync(OLD), { mode: 0o755 })
      const small = await machine(here, own)
      for (const from of [NEXT, addressOf('release')]) {
        expect(await small.run(['upgrade', '--from', from])).toEqual(
          refused(1, `There is no room for the new executable beside ${small.program}. Nothing was changed.`),
        )
        expect(stateOf(small)).toEqual(UNTOUCHED)
      }
    } finally {
      Bun.spawnSync(['umount', place])
    }
  })
})

describe('bellhop upgrade goes back', () => {
  const cgroups = '/sys/fs/cgroup/pids'
  const hasSystemd = isRoot && existsSync(cgroups)
  // Each waits for a version that hangs.
  const slow = testInTurn(hasSystemd ? 3 : 2)
  /** For a shell: until the first start hangs. */
  const untilItHangs = 'while [ ! -e hangs ]; do sleep 0.05; done'

  test('from a version that raises the schema and ends', () =>
    goesBack('raises ends', 'not ready: it ended with exit code 7.'))
  slow('from a version that hangs', () =>
    goesBack('hangs', 'not ready within 1 seconds: it does not answer.', '--wait', '1'),
  )

  async function goesBack(how: string, why: string, ...flags: readonly string[]): Promise<void> {
    await using one = await machine(OLD)
    await one.serve({ BROKEN: how })
    const { exitCode, stderr } = await one.run(['upgrade', '--from', BROKEN, ...flags], { BROKEN: how })
    expect(stderr).toContain(`bellhop 9.9.9 is not ready`)
    expect(stderr).toContain(`${why} Its log: ${dirname(one.data)}/log. The version before is back, and ready.`)
    expect(exitCode).toBe(1)
    expect(versionOf(one)).toBe('0.1.0')
    expect(readdirSync(one.bin)).toEqual(['bellhop'])
    await answers(one, '0.1.0')
    expect(schemaOfFile(join(one.data, 'bellhop.db'))).toBe(NEWEST_SCHEMA)
    const kept = readdirSync(one.data).filter((name) => name.includes('.replaced-'))
    expect(kept.map((name) => schemaOfFile(join(one.data, name)))).toEqual(how === 'hangs' ? [] : [RAISED])
  }

  slow('with your command too, and brings back the database', async () => {
    await using one = await machine(OLD)
    const { pid } = await one.serve({ BROKEN: 'raises' })
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1).join(' ')
    const script = join(dirname(one.data), 'restart')
    const stop = 'pkill -9 -F pid; while pkill -0 -F pid; do sleep 0.1; done'
    const lines = [stop, `setsid ${one.program} ${words} > /dev/null 2>&1 & echo $! > pid`, untilItHangs]
    writeFileSync(join(dirname(one.data), 'pid'), String(pid))
    writeFileSync(script, `cd "$(dirname "$0")"\n${lines.join('\n')}\n`)
    const flags = ['--wait', '1', '--restart', `sh ${script}`]
    const { exitCode, stderr } = await one.run(['upgrade', '--from', BROKEN, ...flags], { BROKEN: 'raises' })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The version before is back, and ready.')])
    expect(versionOf(one)).toBe('0.1.0')
    await answers(one, '0.1.0')
  })

  const bySystemd = 'by systemd, whose service the server is'
  if (!hasSystemd) test.skip(bySystemd, () => {})
  else
    slow(bySystemd, async () => {
      await using one = await machine(OLD)
      const { pid } = await one.serve({ BROKEN: 'raises' })
      // Real cgroups, but a stand-in for systemctl.
      const unit = `bellhop-test-${pid}.service`
      const cgroup = join(cgroups, 'system.slice', unit)
      const place = dirname(one.data)
      // `undefined`: there was one.
      const made = mkdirSync(cgroup, { recursive: true })
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1).join(' ')
      const stop = 'pkill -9 -F pid; while pkill -0 -F pid; do sleep 0.1; done'
      const lines = [
        `cd ${place}; echo "$*" >> calls`,
        'case "$1" in',
        'show) cat pid ;;',
        `stop) ${stop} ;;`,
        `restart) (${stop}; setsid ${one.program} ${words} & echo $! > pid) > /dev/null 2>&1 & ${untilItHangs} ;;`,
        'esac',
      ]
      writeFileSync(join(place, 'systemctl'), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 })
      writeFileSync(join(place, 'pid'), String(pid))
      writeFileSync(join(cgroup, 'cgroup.procs'), String(pid))
      try {
        const env = { BROKEN: 'raises', PATH: `${place}:${process.env['PATH']}` }
        const { exitCode, stderr } = await one.run(['upgrade', '--from', BROKEN, '--wait', '1'], env)
        expect([exitCode, stderr]).toEqual([
          1,
          expect.stringContaining(`Its log: journalctl -u ${unit}. The version before is back, and ready.`),
        ])
        expect(readFileSync(join(place, 'calls'), 'utf8').trimEnd().split('\n')).toEqual([
          `show --property=MainPID --value ${unit}`,
          `restart --no-block ${unit}`,
          `stop ${unit}`,
          `restart --no-block ${unit}`,
        ])
        await answers(one, '0.1.0')
      } finally {
        for (const each of processesIn(one.bin)) process.kill(each, 'SIGKILL')
        await until(() => readFileSync(join(cgroup, 'cgroup.procs'), 'utf8') === '')
        rmdirSync(cgroup)
        if (made !== undefined && made !== cgroup) rmdirSync(made)
      }
    })

  test('not where devices would be lost: the new version stays, and what to do is said', async () => {
    await using one = await machine(OLD)
    const env = { BROKEN: 'raises registers ends' }
    const { pid } = await one.serve(env)
    const { exitCode, stderr } = await one.run(['upgrade', '--from', BROKEN], env)
    expect(exitCode).toBe(1)
    const copy = join(one.data, `bellhop.db.before-${RAISED}`)
    expect(stderr).toContain(
      'The new version stays: since then 0 devices registered, 3 devices changed and 0 pushes made',
    )
    const byHand = `bellhop restore ${copy} --yes --data ${one.data}; mv ${one.program}.before ${one.program}`
    expect(stderr).toContain(`To go back all the same, stop the server, and: ${byHand}`)
    expect(versionOf(one)).toBe('9.9.9')
    expect(schemaOfFile(join(one.data, 'bellhop.db'))).toBe(RAISED)
    const [running, ...more] = processesIn(one.bin)
    expect([running === pid, more]).toEqual([false, []])
  })
})

describe('after kill -9 of bellhop upgrade', () => {
  const STEPS: Readonly<Record<string, (one: Machine, pids: { upgrade: number; server: number }) => boolean>> = {
    'the download has begun': ({ program }, { upgrade }) => existsSync(`${program}.new-${upgrade}.part`),
    'it is fetched': ({ program }, { upgrade }) => existsSync(`${program}.new-${upgrade}`),
    'a backup is made': ({ data }) => existsSync(join(data, 'before-upgrade')),
    'the old program is kept': ({ program }) => existsSync(`${program}.before`),
    'the new program is there': ({ bin, program }, { upgrade }) =>
      existsSync(`${program}.before`) && !readdirSync(bin).includes(`bellhop.new-${upgrade}`),
    'the server has ended': ({ bin }, { server }) => !processesIn(bin).includes(server),
    'the new server is there': ({ bin }, { server, upgrade }) =>
      processesIn(bin).some((pid) => pid !== server && pid !== upgrade),
  }

  test.each(inTurn(Object.keys(STEPS)))('when %s, the same command goes on, and nothing is lost', async (step) => {
    await using one = await machine(OLD)
    const { pid: server } = await one.serve()
    const from = step === 'the download has begun' ? addressOf('slow') : addressOf('release')
    const child = one.start(['upgrade', '--from', from, '--key', SIGNER.publicKey])
    await until(() => STEPS[step]?.(one, { upgrade: child.pid, server }) === true || child.exitCode !== null)
    child.kill('SIGKILL')
    await child.exited
    expect(child.signalCode).toBe('SIGKILL')
    expect(['0.1.0', '0.2.0']).toContain(versionOf(one))
    expect(one.devices()).toBe(3)

    const again = ['upgrade', '--from', addressOf('release'), '--key', SIGNER.publicKey]
    let last = await one.run(again)
    // The server is starting, or stopping.
    while (last.stderr.includes('does not answer')) last = await one.run(again)
    expect(last).toMatchObject({ exitCode: 0 })
    expect(stateOf(one)).toEqual({ version: '0.2.0', files: ['bellhop', 'bellhop.before'], devices: 3 })
    if ((await one.state()) === null) await one.serve()
    await answers(one, '0.2.0')
  })

  test.each(inTurn(['the new server has the database', 'the database is back', 'the old program is back']))(
    'on its way back, when %s, everything is there',
    async (step) => {
      await using one = await machine(OLD)
      const path = join(one.data, 'bellhop.db')
      await one.serve({ BROKEN: 'raises' })
      const child = one.start(['upgrade', '--from', BROKEN, '--wait', '1'], { BROKEN: 'raises' })
      const isRaised = () => schemaOfFile(path) === RAISED
      // On a busy machine only its end is seen.
      const seen = (isSo: () => boolean) => until(() => isSo() || child.exitCode !== null)
      await seen(isRaised)
      if (step === 'the database is back') await seen(() => !isRaised())
      if (step === 'the old program is back') await seen(() => !existsSync(`${one.program}.before`))
      child.kill('SIGKILL')
      await child.exited
      for (const pid of processesIn(one.bin)) process.kill(pid, 'SIGKILL')
      await until(() => processesIn(one.bin).length === 0)
      expect(one.devices()).toBe(3)

      // By hand.
      if (existsSync(`${one.program}.before`)) renameSync(`${one.program}.before`, one.program)
      expect(versionOf(one)).toBe('0.1.0')
      if (isRaised())
        expect(await one.run(['restore', `${path}.before-${RAISED}`, '--yes'])).toMatchObject({ exitCode: 0 })
      await one.serve()
      await answers(one, '0.1.0')
    },
  )
})
