import { expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'
import { testInTurn } from '../support/in-turn.ts'
import { PROGRAM } from '../support/service-process.ts'

/* `bellhop demo` and `./scripts/start`, run as from a fresh clone. */
const ROOT = join(import.meta.dir, '../..')

const test = testInTurn(4)

const directory = directoryOfEachTest('bellhop-demo-test')

function environment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, TMPDIR: directory(), BELLHOP_LISTEN: '127.0.0.1:0', BELLHOP_ADMIN_LISTEN: '127.0.0.1:0' }
}

async function start(...argv: string[]) {
  const child = Bun.spawn(['./scripts/start', ...argv], {
    cwd: ROOT,
    env: environment(),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, exitCode }
}

test('--once shows what arrived, and leaves nothing behind', async () => {
  const { stdout, stderr, exitCode } = await start('--once')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^arrived +apns +a1a1a1a1a1a1… +200 /m)
  expect(stdout).toMatch(/^status +\{.*"state":"finished"/m)
  expect(readdirSync(directory())).toEqual([])
})

test('--help says what there is, and a flag that is none is a sentence', async () => {
  const { stdout, ...rest } = await start('--help')
  expect(rest).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toStartWith(
    './scripts/start runs bellhop demo, with data in ./bellhop-data/demo unless you pass --once or --data.\n\nUsage: bellhop demo ',
  )
  const wrong = await start('--onec')
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('--onec is not a flag of this command. Did you mean --once?\n')
})

test('every command that it prints works as it is printed, while it runs', async () => {
  const data = join(directory(), 'the data')
  const child = Bun.spawn(['./scripts/start', '--data', data], {
    cwd: ROOT,
    env: environment(),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  try {
    let text = ''
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('Ctrl-C stops it.')) break
    }
    // A backslash continues a line.
    const commands = text.replaceAll('\\\n', ' ').match(/^ {2}(?:\.\/scripts\/bun|curl) .*$/gm) ?? []
    expect(commands.map((line) => line.trim().split(' ')[2])).toEqual([
      'push',
      expect.any(String),
      'devices',
      'pushes',
      'tail',
    ])
    for (const line of commands.filter((one) => !one.includes(' tail '))) {
      const run = Bun.spawnSync(['sh', '-c', line], { cwd: ROOT, env: environment() })
      expect([line, run.exitCode, run.stderr.toString().includes('bellhop:')]).toEqual([line, 0, false])
      if (line.includes(' push ')) expect(run.stdout.toString()).toStartWith('sent 2 of 2')
    }
    // The phones are simulated. The browser is real: its page has a key.
    const page = /^ {2}(http:\S+\/webpush\/app_\w+)$/m.exec(text)?.[1] ?? ''
    expect(await (await fetch(`${page}/key`)).json()).toEqual({ publicKey: expect.stringMatching(/^B[\w-]{86}$/) })
    const tail = Bun.spawn(['sh', '-c', `exec ${commands.at(-1)?.trim()} --json`], {
      cwd: ROOT,
      env: environment(),
      stdout: 'pipe',
    })
    const push = commands.find((one) => one.includes(' push ')) ?? ''
    let seen = ''
    // `tail` begins to look some time after its start.
    const pushing = (async () => {
      while (!seen.includes('notification.received')) {
        await Bun.spawn(['sh', '-c', push], { cwd: ROOT, env: environment(), stdout: 'ignore', stderr: 'ignore' })
          .exited
      }
    })()
    for await (const chunk of tail.stdout.pipeThrough(new TextDecoderStream())) {
      seen += chunk
      if (seen.includes('notification.received')) break
    }
    await pushing
    tail.kill('SIGKILL')
    expect(seen).toContain('"text":"Once more"')
  } finally {
    child.kill('SIGINT')
    await child.exited
  }
  expect(readdirSync(directory())).toEqual(['the data'])
})

test('the program alone shows where somebody is signed in, and leaves nothing behind when it is stopped', async () => {
  const child = Bun.spawn([...PROGRAM, 'demo'], {
    env: environment(),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let text = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('Ctrl-C stops it.')) break
  }
  const [, adminUrl, link] = /^ {2}(http:\S+)\/setup#(\S+)$/m.exec(text) ?? []
  const use = () =>
    fetch(`${adminUrl}/api/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link }),
    })
  expect(await (await use()).json()).toMatchObject({ administrator: { name: 'demo' } })
  expect((await use()).status).toBe(404)
  expect(readdirSync(directory())).toHaveLength(1)
  child.kill('SIGINT')
  expect(await child.exited).toBe(0)
  expect(readdirSync(directory())).toEqual([])
})
