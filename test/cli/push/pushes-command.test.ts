import { describe, expect, test } from 'bun:test'
import { jsonLines, refused } from '../command-line.ts'
import { commandsBeside } from '../everyday-service.ts'
import type { Beside } from '../everyday-service.ts'

const IOS = 'c1'.repeat(32)
const NOBODY = '019a9f7e-3c1b-7000-8000-000000000000'

const beside = await commandsBeside()

/** A time of day so many days from now, to the second. */
function inDays(days: number): string {
  return `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`
}

async function pushed(caller: ReturnType<Beside['newCaller']>, body: object): Promise<string> {
  const answer = await caller.post('/push/all', { msg: 'Hello', sound: '', badge: '', platform: '0', ...body })
  expect(answer.status).toBe(200)
  return answer.body.id
}

describe('bellhop pushes', () => {
  test('lists the newest first, with their texts and counts, and whole IDs where there is room', async () => {
    const caller = beside.newCaller()
    const app = caller.application.id
    expect((await beside.run(['pushes', app])).stdout).toBe(
      'There are no pushes yet: bellhop push APP MESSAGE --all sends one.\n',
    )
    await caller.register({ token: IOS, platform: '0' })
    await beside.run(['push', app, 'Hello', '--all'])
    const christmas = inDays(20)
    const later = await pushed(caller, { send_at: christmas, title: 'Merry Christmas to\nall of you' })
    const { exitCode, stdout } = await beside.run(['pushes', app])
    expect({ exitCode, lines: stdout.split('\n') }).toEqual({
      exitCode: 0,
      lines: [
        expect.stringMatching(/^PUSH +TEXT +STATE +WHEN +ADDRESSED +ACCEPTED +FAILED +OPENED$/),
        expect.stringMatching(
          new RegExp(
            `^${later}  Merry Christmas to all…  scheduled  for ${christmas.slice(0, 10)} ${christmas.slice(11, 19)} UTC +0 +0 +0 +0$`,
          ),
        ),
        expect.stringMatching(/^[0-9a-f-]{36} {2}Hello +finished {3}just now +1 +1 +0 +0$/),
        '',
      ],
    })
    const narrow = await beside.run(['pushes', app], { terminal: { columns: 80 } })
    expect(narrow.stdout).toContain(later.slice(0, 18))
    expect(narrow.stdout).not.toContain(later)
  })

  test('--json prints each as GET /pushes has it', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    await beside.run(['push', caller.application.id, 'Hello', '--all'])
    await pushed(caller, { send_at: inDays(20) })
    const { stdout } = await beside.run(['pushes', caller.application.id, '--json'])
    const { body } = await caller.get('/pushes')
    expect(jsonLines(stdout)).toEqual(body)
  })

  test('says what a push waits for that is paused', async () => {
    const application = beside.service.addApplication('keyless', {}, false)
    await beside.service.put('/deviceToken', { token: IOS, platform: '0' }, { application })
    const body = { platform: '0', msg: 'Hi', sound: '', badge: '' }
    const { id } = (await beside.service.post('/push/all', body, { application })).body
    for (let state = ''; state !== 'paused'; await Bun.sleep(5)) {
      state = (await beside.service.get(`/push/${id}`, { application })).body.state
    }
    const { stdout } = await beside.run(['pushes', 'keyless'])
    expect(stdout).toContain(`${id}  Hi    paused `)
    expect(stdout).toEndWith(`\n${id} waits: there is no credential for APNs\n`)
  })

  test('shows one by the beginning of its id, also by language, or as GET /push/{id} has it', async () => {
    const caller = beside.newCaller()
    const app = caller.application.id
    await caller.register({ token: IOS, platform: '0', locale: 'de' })
    await caller.register({ token: 'bad4100'.padEnd(64, '0'), platform: '0' })
    const languages = JSON.stringify({ de: { msg: 'Hallo' }, fr: { msg: 'Salut' } })
    await beside.run(['push', app, 'Hello', '--all', '--languages', languages])
    const [{ id }] = (await caller.get('/pushes')).body
    for (const event of ['received', 'opened']) await caller.put('/stats', { platform: '0', id, event, token: IOS })
    await caller.put('/stats', { platform: '0', id })
    await caller.put('/stats', { platform: '0', id, event: 'action', action: 'reply', token: IOS })
    const part = id.slice(0, 30)
    const { exitCode, stdout } = await beside.run(['pushes', app, part])
    const lines = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '))
    expect([exitCode, lines[0]]).toEqual([0, `${id} finished`])
    expect(lines.slice(3)).toEqual([
      'addressed  2',
      'accepted  1',
      'failed  1',
      'waiting  0',
      'received  1',
      'opened  2 (200.0 %)',
      'actions  reply 1',
      '',
      'Failed for',
      'Unregistered  1',
      '',
      'LANGUAGE  ACCEPTED  FAILED  RECEIVED  OPENED  ACTIONS',
      'its own text  0  1  0  0  0',
      'de  1  0  1  1  (100.0 %)  1',
      'fr  0  0  0  0  0',
      'none known  0  0  0  1  0',
      '',
    ])
    const { rate: _, ...status } = (await caller.get(`/push/${id}`)).body
    expect(JSON.parse((await beside.run(['pushes', app, part, '--json'])).stdout)).toMatchObject(status)
    const other = await beside.run(['pushes', beside.newCaller().application.id, id])
    expect([other.exitCode, other.stderr]).toEqual([1, `bellhop: ${id} belongs to another application.\n`])
    const both = await beside.run(['pushes', app, id, '--scheduled'])
    expect([both.exitCode, both.stderr]).toEqual([2, 'bellhop: --scheduled is for a list, and PUSH names one.\n'])
  })

  test('--scheduled lists only scheduled pushes, soonest first, also by local time', async () => {
    const caller = beside.newCaller()
    const app = caller.application.id
    await caller.register({ token: IOS, platform: '0', timezone: 'Europe/Berlin' })
    await beside.run(['push', app, 'Now', '--all'])
    expect((await beside.run(['pushes', app, '--scheduled'])).stdout).toBe('Nothing is scheduled.\n')
    const second = await pushed(caller, { send_at: inDays(9) })
    const first = await pushed(caller, { send_at: inDays(8) })
    const local = await pushed(caller, { send_at_local: inDays(3).slice(0, 19) })
    const off = await pushed(caller, { send_at: inDays(8) })
    await beside.run(['cancel', off])
    const listed = async (...more: string[]) => {
      const { stdout } = await beside.run(['pushes', app, '--scheduled', '--json', ...more])
      return jsonLines(stdout).map(({ id }) => id)
    }
    expect(await listed()).toEqual([local, first, second])
    expect(await listed('--limit', '1')).toEqual([local])
  })

  test('goes on with --after where --limit ended', async () => {
    const caller = beside.newCaller()
    const app = caller.application.id
    const ids = []
    for (let n = 0; n < 3; n += 1) ids.push(await pushed(caller, { send_at: inDays(8) }))
    const { stdout } = await beside.run(['pushes', app, '--limit', '2'])
    expect(stdout).toEndWith(`\nNext page: --after ${ids[1]}\n`)
    const rest = await beside.run(['pushes', app, '--after', ids[1] ?? '', '--json'])
    expect(JSON.parse(rest.stdout).id).toBe(ids[0] ?? '')
    const end = await beside.run(['pushes', app, '--after', ids[0] ?? ''])
    expect(end).toMatchObject({ exitCode: 0, stdout: 'There are no more pushes.\n' })
    // Starting over would never end.
    const other = await beside.run(['pushes', beside.newCaller().application.id, '--after', ids[0] ?? ''])
    expect([other.exitCode, other.stderr]).toEqual([1, `bellhop: ${ids[0]} belongs to another application.\n`])
  })

  test('of what is asked for wrongly, or is not there', async () => {
    const app = beside.newCaller().application.id
    const of = async (...argv: string[]) => {
      const { exitCode, stderr } = await beside.run(['pushes', ...argv])
      return [exitCode, stderr]
    }
    expect(await of(app, '--limit', 'x')).toEqual([2, 'bellhop: --limit: "x" is not a whole number from 1 to 10000\n'])
    expect(await of(app, '--scheduled', '--after', NOBODY)).toEqual([
      2,
      "bellhop: --scheduled and --after can't be combined: choose one.\n",
    ])
    expect((await of('no such'))[0]).toBe(1)
    expect((await of(app, '--after', NOBODY))[0]).toBe(1)
  })
})

describe('the beginning of a push’s id', () => {
  test('names it for cancel and explain, as long as it is the only one', async () => {
    const caller = beside.newCaller()
    await caller.register({ token: IOS, platform: '0' })
    const [one, two] = [await pushed(caller, { send_at: 3600 }), await pushed(caller, { send_at: 3600 })]
    const shared = one.slice(0, 8)
    expect(two).toStartWith(shared)
    expect(await beside.run(['cancel', shared])).toEqual(
      refused(1, `More than one push starts with ${shared}: use a longer prefix.`),
    )
    const explained = await beside.run(['explain', `${one.slice(0, 20).toUpperCase()}…`, IOS])
    expect(explained.stdout).toContain(`  push    ${one}\n`)
    expect(await beside.run(['cancel', one.slice(0, 20)])).toMatchObject({
      exitCode: 0,
      stdout: 'Cancelled. Nobody got it.\n',
    })
    expect((await caller.get(`/push/${one}`)).body.state).toBe('cancelled')
    expect((await caller.get(`/push/${two}`)).body.state).toBe('scheduled')
  })

  test('what is none is asked for wrongly', async () => {
    for (const id of ['abc', 'Christmas', `${NOBODY}0`]) {
      for (const argv of [
        ['cancel', id],
        ['explain', id, IOS],
      ]) {
        expect(await beside.run(argv)).toEqual(
          refused(
            2,
            `"${id}" is not a push ID: expected the UUID from the answer, or at least its first 8 characters.`,
          ),
        )
      }
    }
  })
})
