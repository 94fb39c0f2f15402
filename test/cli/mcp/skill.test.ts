import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommand } from '../../../src/cli/cli.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { LIBRARIES } from '../../../src/client/libraries.ts'
import { findPage } from '../../../src/manual/pages.ts'
import { commandsIn, commandsInSentences } from '../../manual/markdown-files.ts'
import { PROGRAM } from '../../support/service-process.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { commandLine } from '../command-line.ts'

const skill = await printed()

async function printed(): Promise<string> {
  using cli = commandLine()
  const { exitCode, stdout, stderr } = await cli.run(['skill'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

test('the skill says when to use it, in at most 150 lines', () => {
  expect(skill).toMatch(/^---\nname: [a-z-]{1,64}\ndescription: .{1,1024}\n---\n\n# /)
  expect(skill.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('every command of the skill is one, with its flags', () => {
  const all = [...commandsIn(skill), ...commandsInSentences(skill)].filter((argv) => !argv.includes('COMMAND'))
  expect(all.length).toBeGreaterThan(20)
  // A later release has the command. Until then the skill offers another way.
  const known = all.filter(([name]) => name !== 'backend' || COMMANDS.some((spec) => spec.name === 'backend'))
  const wrong = known.flatMap((argv) => {
    const command = parseCommand(argv)
    const problems =
      command.kind === 'run' ? command.given.problems : command.kind === 'problems' ? command.problems : []
    return problems.map((problem) => [argv.join(' '), problem])
  })
  expect(wrong).toEqual([])
})

test('every page and every library that the skill names is there', () => {
  const named = [...commandsIn(skill), ...commandsInSentences(skill)]
  const pages = named.filter(([name, topic]) => name === 'manual' && topic !== 'TOPIC').map(([, topic = '']) => topic)
  expect(pages.length).toBeGreaterThan(5)
  expect(pages.filter((topic) => findPage(topic) === null)).toEqual([])
  const kinds = named.filter(([name]) => name === 'client').map(([, kind = '']) => kind)
  expect(kinds.filter((kind) => !Object.hasOwn(LIBRARIES, kind))).toEqual([])
})

test('its steps lead to a push that arrives, and to a library', async () => {
  using folder = temporaryDirectory('bellhop-skill')
  const port = freePort()
  for (const name of ['bin', 'app']) mkdirSync(join(folder.path, name))
  writeFileSync(join(folder.path, 'bin/bellhop'), `#!/bin/sh\nexec ${PROGRAM.join(' ')} "$@"\n`, { mode: 0o755 })
  const blocks = Array.from(skill.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
  expect(blocks).toHaveLength(3)
  const script = ['set -e', "trap 'kill $(jobs -p)' EXIT", ...blocks]
    .join('\n')
    .replaceAll('127.0.0.1:8790', `127.0.0.1:${port}`)
  const child = Bun.spawn(['bash', '-c', script], {
    cwd: join(folder.path, 'app'),
    env: {
      PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}`,
      BELLHOP_LISTEN: `127.0.0.1:${port}`,
      BELLHOP_ADMIN_LISTEN: `127.0.0.1:${freePort()}`,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^accepted$[\s\S]*^\{.*"type":"notification.received".*"text":"Hello".*\}$/m),
    stderr: expect.any(String),
  })
  // Only the file has it.
  expect(stdout + stderr).not.toContain('bhs_')
  expect(await Bun.file(join(folder.path, 'app/src/bellhop/index.js')).text()).toContain(`http://127.0.0.1:${port}`)
  expect(await Bun.file(join(folder.path, 'app/bellhop-data/.gitignore')).text()).toBe('*\n')
})

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop()
  return port
}
