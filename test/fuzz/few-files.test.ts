import { expect, test } from 'bun:test'
import { limited, programOf } from '../support/service-process.ts'
import { connectTo } from '../support/raw-connection.ts'
import { until } from '../support/until.ts'
import { plainMessage } from './message.ts'
import { openTarget } from './target.ts'

/** Open files and connections allowed: the process itself has about 25, and a database a few. */
const FILES = 96

test('with no file left for another connection those that are open are served, and others once there is room', async () => {
  const { command, compiled } = programOf(null)
  await using target = await openTarget({ command: [...limited('-n', FILES), ...command], compiled })
  const [{ url, calls }] = target.sides
  const known = calls.find(({ path, headers }) => path === '/deviceToken' && headers.length > 2)
  if (known === undefined) throw new Error('no call registers a device')
  const register = plainMessage(known)

  using early = await connectTo(url)
  await early.write(register)
  expect((await early.answer()).status).toBe(201)
  const crowd = await Promise.all(Array.from({ length: 2 * FILES }, () => connectTo(url)))
  await early.write(register)
  expect((await early.answer()).status).toBe(200)

  for (const connection of crowd) connection[Symbol.dispose]()
  await until(async () => (await fetch(`${url}/healthz`)).ok)
  expect(target.errors()).toEqual([])
  expect(target.exitCode).toBeNull()
})
