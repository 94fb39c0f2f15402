import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import type { ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { RELEASE } from '../../../src/version.ts'
import { HASTY } from '../everyday-service.ts'
import { newCaller } from '../../support/caller.ts'
import { fileService } from '../../support/file-service.ts'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

const service = await fileService({ clock: HASTY })

/** The client of the official SDK, and `bellhop mcp` as a process beside the service. */
async function connect(args: readonly string[], versionNegotiation?: ClientOptions['versionNegotiation']) {
  const client = new Client({ name: 'test', version: '1' }, versionNegotiation && { versionNegotiation })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: { BELLHOP_DATA: service.data },
    stderr: 'pipe',
  })
  const errors: string[] = []
  transport.stderr?.on('data', (chunk) => errors.push(String(chunk)))
  await client.connect(transport)
  return {
    client,
    errors,
    async call(name: string, args: Record<string, unknown>) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      return { isError, text: (content as { text: string }[]).map(({ text }) => text).join('') }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

test.each([
  ['a session of 2025-11-25', undefined],
  ['requests of 2026-07-28, which know of no session', { mode: { pin: '2026-07-28' } } as const],
])('an agent sends a push and proves that it arrived: %s', async (_, versionNegotiation) => {
  const caller = newCaller(service)
  const token = Bun.randomUUIDv7().replaceAll('-', '').repeat(2)
  await caller.register({ token, platform: '0', tag: ['beta'] })
  await using agent = await connect([caller.application.id, '--allow-send'], versionNegotiation)
  expect(agent.client.getServerVersion()).toEqual({ name: 'bellhop', version: RELEASE })

  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['doctor', 'devices', 'preview', 'explain', 'pushes', 'send'])

  const doctor = await agent.call('doctor', { offline: true })
  expect(doctor.text).toContain('It sends to the built-in simulator, where no phone is reached.')
  const devices = await agent.call('devices', { tag: ['beta'] })
  expect(devices.text).toContain(`${token.slice(0, 8)}…`)
  expect(devices.text).not.toContain(token)

  const push = { message: 'Fresh bread', tag: ['beta'] }
  const preview = await agent.call('preview', push)
  expect(preview).toEqual({ isError: false, text: expect.stringContaining('Would be sent to 1 device.') })
  expect((await caller.get('/pushes')).body).toEqual([])

  const sent = await agent.call('send', push)
  const [, id = ''] = /^push ([0-9a-f-]{36})\n$/.exec(sent.text) ?? []
  let status = await agent.call('pushes', { push: id })
  while (!status.text.startsWith(`${id} finished`)) status = await agent.call('pushes', { push: id })
  const why = await agent.call('explain', { push: id, token: token.slice(0, 8) })
  expect(why).toEqual({ isError: false, text: expect.stringMatching(/^accepted\n/) })
  expect(agent.errors).toEqual([])
})

test('without --allow-send an agent cannot send, and all of its tools only read', async () => {
  const caller = newCaller(service)
  await caller.register({ token: 'ab'.repeat(32), platform: '0' })
  await using agent = await connect([])
  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['doctor', 'devices', 'preview', 'explain', 'pushes'])
  for (const { name, annotations } of tools) {
    expect([name, annotations]).toEqual([
      name,
      { readOnlyHint: true, destructiveHint: false, openWorldHint: name === 'doctor' },
    ])
  }
  const refused = await agent
    .call('send', { app: caller.application.id, message: 'Hello', all: true })
    .catch((error: Error) => error.message)
  expect(refused).toContain('send is off: start bellhop mcp with --allow-send.')
  expect((await caller.get('/pushes')).body).toEqual([])
})

test('the process ends when its input ends', async () => {
  const child = Bun.spawn([process.execPath, MAIN, 'mcp', '--data', service.data], {
    env: {},
    stdin: new Blob(['{"jsonrpc":"2.0","id":1,"method":"ping"}\n', 'nonsense']),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect(await child.stdout.text()).toBe(
    [
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"This line is not JSON."}}',
      '',
    ].join('\n'),
  )
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ''])
})
