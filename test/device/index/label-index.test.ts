import { describe, expect, test } from 'bun:test'
import { createGroupCommit } from '../../../src/database/group-commit.ts'
import { raise } from '../../support/raise.ts'
import { openRegistry } from '../../support/registry.ts'

const APP = 1

type Registry = ReturnType<typeof openRegistry>

class Undone extends Error {}

const tagsOf = ({ devices }: Registry, token: string) => devices.find(APP, token)?.tag

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

describe('a label that no device has', () => {
  const names = ({ database }: Registry) =>
    database
      .reading<{ name: string }, []>('SELECT name FROM label ORDER BY id')
      .all()
      .map(({ name }) => name)
  const sweep = ({ database, devices }: Registry) => {
    for (let next: number | null = 0; next !== null;) {
      const after: number = next
      next = database.transact(() => devices.sweepLabels(after))
    }
  }
  const register = ({ database, devices }: Registry, token: string, tag: readonly string[]) =>
    database.transact(() => devices.register(APP, { token, platform: 0, tag }))

  test('is erased, and one that any device has stays', () => {
    using registry = openRegistry()
    register(registry, 'a', ['kept', 'only a', 'untagged'])
    register(registry, 'b', ['kept'])
    register(registry, 'a', ['kept', 'only a'])
    sweep(registry)
    expect(names(registry)).toEqual(['kept', 'only a'])
    registry.database.transact(() => registry.devices.unregister(APP, 0, 'a'))
    sweep(registry)
    expect(names(registry)).toEqual(['kept'])
  })

  test('comes back under another id, also where the former one was remembered', () => {
    using registry = openRegistry()
    const { database } = registry
    const idOf = (name: string) =>
      database.reading<{ id: number }, [string]>('SELECT id FROM label WHERE name = ?').get(name)?.id
    // Twice, so that the ids are remembered.
    for (const token of ['a', 'b']) register(registry, token, ['first', 'last'])
    const former = idOf('last') ?? 0
    for (const token of ['a', 'b']) register(registry, token, [])
    sweep(registry)
    expect(names(registry)).toEqual([])
    register(registry, 'a', ['another'])
    register(registry, 'b', ['last'])
    expect(idOf('another')).toBeGreaterThan(former)
    expect(idOf('last')).toBeGreaterThan(former)
    expect([tagsOf(registry, 'a'), tagsOf(registry, 'b')]).toEqual([['another'], ['last']])
  })

  test('is not lost to a device that gets it in the same transaction, before the sweep or after it', async () => {
    using registry = openRegistry()
    const { database, devices } = registry
    const { commit } = createGroupCommit(database, raise)
    for (const token of ['a', 'b']) register(registry, token, ['x', 'y'])
    for (const token of ['a', 'b']) register(registry, token, [])
    const tag = (token: string, name: string) =>
      commit(() => devices.register(APP, { token, platform: 0, tag: [name] }))
    await Promise.all([tag('a', 'x'), commit(() => devices.sweepLabels(0)), tag('b', 'y')])
    expect([tagsOf(registry, 'a'), tagsOf(registry, 'b')]).toEqual([['x'], ['y']])
    expect(names(registry)).toEqual(['x', 'y'])
  })

  test('is kept where the transaction of its sweep is undone, and found again', () => {
    using registry = openRegistry()
    const { database, devices } = registry
    for (const token of ['a', 'b']) register(registry, token, ['x'])
    for (const token of ['a', 'b']) register(registry, token, [])
    const undone = () =>
      database.transact(() => {
        devices.sweepLabels(0)
        throw new Undone()
      })
    expect(undone).toThrow(Undone)
    register(registry, 'a', ['x'])
    expect(tagsOf(registry, 'a')).toEqual(['x'])
    expect(names(registry)).toEqual(['x'])
  })

  test('is looked for among two hundred at a time', () => {
    using registry = openRegistry()
    const { database, devices } = registry
    database.transact(() => {
      for (let device = 0; device < 5; device++) {
        const tag = Array.from({ length: 100 }, (_, n) => `${device}-${n}`)
        devices.register(APP, { token: `device ${device}`, platform: 0, tag })
        devices.unregister(APP, 0, `device ${device}`)
      }
    })
    const left = () => names(registry).length
    const step = (after: number) => [database.transact(() => devices.sweepLabels(after)), left()]
    expect(step(0)).toEqual([200, 300])
    expect(step(200)).toEqual([400, 100])
    expect(step(400)).toEqual([null, 0])
  })
})
