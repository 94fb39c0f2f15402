import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { fileSending } from '../support/file-sending.ts'
import { refusal, tokensOf } from '../support/sending.ts'

/* As if a page of the database were damaged. */
const { clock, service, simulator, get, log, logged, pass, push, register, registerAll, sent, status } =
  await fileSending()

const REFUSED_KEY = refusal(403, 'InvalidProviderToken')
const gone = () => ({
  status: 410,
  headers: {},
  body: JSON.stringify({ reason: 'Unregistered', timestamp: clock.now() }),
})

/** More than go out before the first answer. */
const TOKENS = tokensOf(0, 30)

const UNREADABLE = 'a device cannot be read; trying again'

/** Renames the table of devices, as another process. */
function rename(from: string, to: string): void {
  using other = new Database(join(service.data, 'bellhop.db'))
  other.run('PRAGMA busy_timeout = 5000')
  other.run('PRAGMA legacy_alter_table = ON')
  other.run(`ALTER TABLE ${from} RENAME TO ${to}`)
}

const takeAway = () => rename('device', 'device_away')
const putBack = () => rename('device_away', 'device')

const isUnreadable = () => pass(logged(({ event }) => event === UNREADABLE))

describe('who cannot be read', () => {
  test('before a send is sent to once it can be, without a restart, and the log tells it once in a while', async () => {
    await registerAll(0, TOKENS)
    simulator.answerWith(() => REFUSED_KEY)
    const id = await push()
    await logged(({ event }) => event === 'sending paused')
    simulator.answerWith(null)
    takeAway()
    await isUnreadable()
    const few = log().filter(({ event }) => event === UNREADABLE).length
    putBack()
    await pass(sent(id))
    expect(await status(id)).toMatchObject({ t: 30, s: 30 })
    expect(few).toBeLessThanOrEqual(2)
  })

  test('as its answer is judged is asked again, and what the gateway says then counts', async () => {
    const [token = ''] = TOKENS
    await register({ token, platform: '0' })
    const asked = Promise.withResolvers<void>()
    simulator.answerWith(() => {
      asked.resolve()
      return { kind: 'answer', answer: gone(), afterMs: 1000 }
    })
    const id = await push()
    await asked.promise
    takeAway()
    await isUnreadable()
    putBack()
    await pass(sent(id))
    expect(await status(id)).toMatchObject({ t: 1, s: 0, failed: { total: 1, reasons: { Unregistered: 1 } } })
    expect((await get('/deviceToken/all')).body).toEqual([])
  })
})
