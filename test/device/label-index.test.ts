import { expect, test } from 'bun:test'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { openRegistry } from '../support/registry.ts'
import { raise } from '../support/raise.ts'

const APP = 1

class Undone extends Error {}

const tagsOf = ({ devices }: ReturnType<typeof openRegistry>, token: string) => devices.find(APP, token)?.tag

test('a label of a transaction that is rolled back is never taken for another', () => {
  using registry = openRegistry()
  const { database, devices } = registry
  const undone = () =>
    database.transact(() => {
      devices.register(APP, { token: 'x', platform: 0, tag: ['first'] })
      // A second time, so that the label is also read where it is not committed.
      devices.register(APP, { token: 'y', platform: 0, tag: ['first'] })
      throw new Undone()
    })
  expect(undone).toThrow(Undone)
  // This one gets the id that 'first' would have had.
  database.transact(() => devices.register(APP, { token: 'a', platform: 0, tag: ['second'] }))
  database.transact(() => devices.register(APP, { token: 'b', platform: 0, tag: ['first'] }))
  expect(tagsOf(registry, 'a')).toEqual(['second'])
  expect(tagsOf(registry, 'b')).toEqual(['first'])
})

test('nor one of an operation that is undone alone in a shared transaction', async () => {
  using registry = openRegistry()
  const { devices } = registry
  const { commit } = createGroupCommit(registry.database, raise)
  const register = (token: string, tag: string) => devices.register(APP, { token, platform: 0, tag: [tag] })
  const [undone] = await Promise.allSettled([
    commit(() => {
      register('x', 'first')
      register('y', 'first')
      throw new Undone()
    }),
    commit(() => register('a', 'second')),
    commit(() => register('b', 'first')),
  ])
  expect(undone.status).toBe('rejected')
  expect([tagsOf(registry, 'a'), tagsOf(registry, 'b')]).toEqual([['second'], ['first']])
})

test('a tag and a type of one name, and those of two applications, are different labels', () => {
  using registry = openRegistry()
  const { database, devices } = registry
  for (const round of ['one', 'two', 'three']) {
    for (const application of [1, 2]) {
      const [tagged, typed] = [`${round} tagged`, `${round} typed`]
      database.transact(() => devices.register(application, { token: tagged, platform: 0, tag: ['same'] }))
      database.transact(() => devices.register(application, { token: typed, platform: 0, active: ['same'] }))
      expect(devices.find(application, tagged)).toMatchObject({ tag: ['same'], active: [] })
      expect(devices.find(application, typed)).toMatchObject({ tag: [], active: ['same'] })
    }
  }
  const labels = database.statement<{ labels: number }, []>('SELECT count(*) AS labels FROM label').get()
  expect(labels).toEqual({ labels: 4 })
})

test('names are kept to the letter', () => {
  using registry = openRegistry()
  const tag = ['A', 'a', ' a', 'ä', 'a\u0308', '🛎', "'; --", '%']
  registry.devices.register(APP, { token: 'x', platform: 0, tag })
  expect(tagsOf(registry, 'x')).toEqual(tag.toSorted())
})
