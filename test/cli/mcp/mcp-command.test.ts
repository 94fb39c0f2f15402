import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Ajv from 'ajv/dist/2020.js'
import { jsonLines, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'
import { storeDevices } from '../../support/stored-devices.ts'

let cli: CommandLine
beforeAll(async () => {
  cli = await withShop()
})
afterAll(() => cli[Symbol.dispose]())

async function* chunksOf(parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? new TextEncoder().encode(part) : part
}

async function answersTo(parts: readonly (string | Uint8Array)[], argv: readonly string[] = []) {
  const { exitCode, stdout, stderr } = await cli.run(['mcp', ...argv], {}, { stdin: () => chunksOf(parts) })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return jsonLines(stdout)
}

async function ask(method: string, params?: unknown, argv?: readonly string[]) {
  const answers = await answersTo([`${JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })}\n`], argv)
  expect(answers).toHaveLength(1)
  return answers[0]
}

async function call(name: string, args: unknown, argv?: readonly string[]) {
  return ask('tools/call', { name, arguments: args }, argv)
}

function textOf({ result }: any): string {
  return result.content[0].text
}

describe('a message that is none', () => {
  const refused = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } })

  test.each([
    ['no JSON', '{"jsonrpc"', refused(null, -32_700, 'This line is not JSON.')],
    [
      'a batch',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      refused(null, -32_600, 'Batches are not supported: send a message a line.'),
    ],
    ['no object', '17', refused(null, -32_600, 'A message is an object with "jsonrpc": "2.0".')],
    [
      'another version of JSON-RPC',
      '{"id":1,"method":"ping"}',
      refused(null, -32_600, 'A message is an object with "jsonrpc": "2.0".'),
    ],
    [
      'an id of null',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      refused(null, -32_600, 'id must be a string or a whole number.'),
    ],
    [
      'an id that is no whole number',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      refused(null, -32_600, 'id must be a string or a whole number.'),
    ],
    ['no method', '{"jsonrpc":"2.0","id":1}', refused(1, -32_600, 'method must be a string.')],
    [
      'an unknown method',
      '{"jsonrpc":"2.0","id":"a","method":"resources/list"}',
      refused('a', -32_601, 'resources/list is not a method of this server.'),
    ],
    [
      'params in a list',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
      refused(1, -32_602, 'params must be an object.'),
    ],
    [
      'a tool without a name',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
      refused(1, -32_602, 'name must be a string.'),
    ],
    [
      'an unknown tool',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"device"}}',
      refused(1, -32_602, '"device" is not a tool. Did you mean devices?'),
    ],
    [
      'arguments in a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"devices","arguments":[]}}',
      refused(1, -32_602, 'arguments must be an object.'),
    ],
  ])('is refused, and the next one answered: %s', async (_, line, answer) => {
    const answers = await answersTo([`${line}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`])
    expect(answers).toEqual([answer, { jsonrpc: '2.0', id: 2, result: {} }])
  })

  test('is not kept when it is longer than 1 MiB', async () => {
    const megabyte = new Uint8Array(1_048_576).fill(0x20)
    const chunks = ['{', ...Array.from({ length: 10 }, () => megabyte), '}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n']
    expect(await answersTo(chunks)).toEqual([
      refused(null, -32_600, 'A message has at most 1048576 bytes.'),
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
  })

  test('is answered by nothing if it is a notification, a response or a blank line', async () => {
    const silent = [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '  ',
    ]
    expect(await answersTo([`${silent.join('\n')}\n`])).toEqual([])
  })

  test('may come in pieces, and end without a line break', async () => {
    const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":"ä","method":"ping"}')
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    expect(await answersTo(pieces)).toEqual([{ jsonrpc: '2.0', id: 'ä', result: {} }])
  })
})

describe('the version of the protocol', () => {
  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ])('of a session that asks for %s is %s', async (asked, agreed) => {
    const { result } = await ask('initialize', { protocolVersion: asked, capabilities: {} })
    expect(result).toMatchObject({
      protocolVersion: agreed,
      capabilities: { tools: {} },
      serverInfo: { name: 'bellhop' },
    })
  })

  test('must be asked for by a session', async () => {
    expect((await ask('initialize', {})).error).toEqual({ code: -32_602, message: 'protocolVersion must be a string.' })
  })

  const meta = (version: string) => ({
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  })

  test('is told by server/discover, which a client of 2026-07-28 may keep for an hour', async () => {
    const { result } = await ask('server/discover', { _meta: meta('2026-07-28') })
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {} },
      ttlMs: 3_600_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bellhop' } },
    })
    expect((await ask('server/discover')).error).toEqual({
      code: -32_602,
      message: '_meta needs io.modelcontextprotocol/protocolVersion 2026-07-28.',
    })
  })

  test('that a request names must be known, and its capabilities named', async () => {
    expect((await ask('tools/list', { _meta: meta('2099-01-01') })).error).toEqual({
      code: -32_022,
      message: 'Unsupported protocol version',
      data: {
        supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        requested: '2099-01-01',
      },
    })
    const bare = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    expect((await ask('tools/list', { _meta: bare })).error).toEqual({
      code: -32_602,
      message: '_meta needs io.modelcontextprotocol/clientCapabilities.',
    })
  })
})

describe('a tool', () => {
  test('has a schema of its arguments that JSON Schema 2020-12 accepts', async () => {
    const { result } = await ask('tools/list', undefined, ['--allow-send'])
    expect(result.tools).toHaveLength(6)
    for (const { inputSchema } of result.tools) {
      const valid = new Ajv({ strict: true, allowUnionTypes: true }).compile(inputSchema)
      const required = Object.fromEntries(inputSchema.required.map((name: string) => [name, 'abcdefgh']))
      expect(valid(required)).toBe(true)
      expect(valid({ ...required, nothing: 1 })).toBe(false)
    }
    const send = result.tools.at(-1)
    expect(send.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: true })
    expect(Object.keys(send.inputSchema.properties)).not.toContain('yes')
  })

  test('says what is wrong with its arguments, all of it, so that the agent can mend it', async () => {
    const args = { limt: 5, tag: 'beta', platform: 3, state: true, limit: 1.5 }
    expect((await call('devices', args)).result).toEqual({
      content: [
        {
          type: 'text',
          text: [
            '"limt" is not an argument of devices. Did you mean limit?',
            'app is required.',
            'tag must be a list of strings without commas.',
            'platform must be a string.',
            'state must be a string.',
            'limit must be a whole number.',
          ].join('\n'),
        },
      ],
      isError: true,
    })
  })

  test('takes no tag with a comma: the command line would take it for two, and reach more devices', async () => {
    const { result } = await call('send', { app: 'Shop', message: 'Hi', tag: ['a,b'] }, ['--allow-send'])
    expect(result).toEqual({
      content: [{ type: 'text', text: 'tag must be a list of strings without commas.' }],
      isError: true,
    })
  })

  test.each(['--all', '--help', '-', '--', 'restore'])(
    'takes %p for a text, never for a flag or another command',
    async (text) => {
      const { result } = await call('devices', { app: text })
      expect(result).toEqual({
        content: [{ type: 'text', text: expect.stringContaining(`There is no application "${text}" in `) }],
        isError: true,
      })
    },
  )

  test('opens no file: what may be JSON or a file is always JSON', async () => {
    const languages = cli.file('languages.json', '{"de": {"msg": "Geheim"}}')
    const push = { app: 'Shop', message: 'Hi', all: true, fields: { languages } }
    const { result } = await call('preview', push)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).not.toContain('Geheim')
  })

  test('has the application of the command line unless it names one', async () => {
    const listed = await call('devices', {}, ['Shop'])
    expect(textOf(listed)).toStartWith('0 shown.')
    const { result } = await ask('tools/list', undefined, ['Shop'])
    const devices = result.tools.find(({ name }: { name: string }) => name === 'devices')
    expect(devices.inputSchema).toMatchObject({
      properties: { app: { description: 'ID or name of the application (default: Shop)' } },
      required: [],
    })
    expect(textOf(await call('devices', { app: 'Other' }, ['Shop']))).toContain('There is no application "Other"')
  })

  test('works on the data that the command line names', async () => {
    const elsewhere = `${cli.data}/elsewhere`
    expect(textOf(await call('pushes', { app: 'Shop' }, ['--data', elsewhere]))).toStartWith(
      `bellhop: There is no Bellhop database in ${elsewhere}`,
    )
    const { result } = await call('pushes', { app: 'Shop' }, ['--server', 'https://127.0.0.1:1'])
    expect(result).toEqual({
      content: [
        {
          type: 'text',
          text: 'bellhop: --token-file (BELLHOP_TOKEN_FILE) must name a file with a token of bellhop admin token.\n',
        },
      ],
      isError: true,
    })
  })

  test('is cut after 20,000 characters, with a sentence that says how to get the rest', async () => {
    using many = await withShop()
    {
      using database = many.database()
      storeDevices(database, 500, (n) => ({ token: n.toString(16).padStart(64, '0'), alias: `device ${n}` }))
    }
    const line = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'devices', arguments: { app: 'Shop', limit: 500 } },
    })
    const { stdout } = await many.run(['mcp'], {}, { stdin: () => chunksOf([line]) })
    const text = textOf(JSON.parse(stdout))
    expect(text.length).toBeLessThan(20_200)
    expect(text).toMatch(
      /\n\nCut: these are the first [\d,]+ of [\d,]+ characters\. Ask for fewer with limit, and for the next ones with after\.\n$/,
    )
  })
})

describe('calls at the same time', () => {
  const doctor = (id: number) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'doctor', arguments: { offline: true } } })}\n`

  test('run beside each other, and a ping does not wait for them', async () => {
    const answers = await answersTo([doctor(1), doctor(2), '{"jsonrpc":"2.0","id":3,"method":"ping"}\n'])
    expect(answers[0]).toEqual({ jsonrpc: '2.0', id: 3, result: {} })
    expect(answers.slice(1).map(({ id, result }) => [id, result.content.length])).toEqual(
      expect.arrayContaining([
        [1, 1],
        [2, 1],
      ]),
    )
  })

  test('have an id each', async () => {
    const [refused, answered] = await answersTo([doctor(1), doctor(1)])
    expect(refused.error).toEqual({ code: -32_600, message: 'A call with this id is still running.' })
    expect(answered.result.content).toHaveLength(1)
  })

  test('are at most eight', async () => {
    const answers = await answersTo(Array.from({ length: 9 }, (_, id) => doctor(id)))
    const tooMany = answers.find(({ id }) => id === 8)
    expect(tooMany.result).toEqual({
      content: [{ type: 'text', text: 'Too many calls are running: try again when one has finished.' }],
      isError: true,
    })
    expect(answers).toHaveLength(9)
  })

  test('are not answered once they are cancelled', async () => {
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    const answers = await answersTo([doctor(1), doctor(2), cancel])
    expect(answers.map(({ id }) => id)).toEqual([2])
  })
})

test('an application that is not there ends it at once', async () => {
  expect(
    await cli.run(['mcp', 'Shp'], {}, { stdin: () => chunksOf(['{"jsonrpc":"2.0","id":1,"method":"ping"}']) }),
  ).toEqual(refused(1, `There is no application "Shp" in ${cli.data}: bellhop app list lists them. Did you mean Shop?`))
})

test('in a terminal, a sentence says what it waits for', async () => {
  const { stdout, stderr } = await cli.run(['mcp'], {}, { terminal: { columns: 80 } })
  expect({ stdout, stderr }).toEqual({
    stdout: '',
    stderr: 'Waiting for MCP messages on standard input: bellhop manual agents says how a client starts this.\n',
  })
})
