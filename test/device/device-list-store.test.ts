import { expect, test } from 'bun:test'
import type { Device } from '../../src/device/device.ts'
import { openRegistry } from '../support/registry.ts'

/** 30 devices in the order 0 to 29, every third of them of application 2, on both platforms, number 5 gone. */
function openWithMany() {
  const registry = openRegistry()
  const { devices, database } = registry
  database.transact(() => {
    for (let number = 0; number < 30; number++) {
      const platform = number % 2 === 0 ? 0 : 1
      const labels = { tag: [`t${number}`, 'all'], active: number % 4 === 0 ? ['news'] : [] }
      devices.register(number % 3 === 0 ? 2 : 1, { token: `token-${number}`, platform, ...labels })
    }
    devices.markGone(devices.idOf(1, 1, 'token-5') ?? 0, { since: null, now: 1, reason: 'Unregistered' })
  })
  return registry
}

test('the devices of an application are listed in the order of their registration, page by page', () => {
  using registry = openWithMany()
  const { devices } = registry
  const pages: Device[][] = []
  for (let after = 0; ;) {
    const page = devices.list(1, { after, limit: 4 })
    pages.push(page)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
  }
  expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 4, 3, 0])
  const expected = Array.from({ length: 30 }, (_, number) => number).filter((number) => number % 3 > 0 && number !== 5)
  const listed = pages.flat()
  expect(listed.map(({ token }) => token)).toEqual(expected.map((number) => `token-${number}`))
  expect(listed).toEqual(listed.map(({ token }) => devices.find(1, token) as Device))
  expect(listed.find(({ token }) => token === 'token-8')).toMatchObject({ tag: ['all', 't8'], active: ['news'] })
})

test('an empty registry is an empty list', () => {
  using registry = openRegistry()
  expect(registry.devices.list(1, { limit: 10 })).toEqual([])
  expect(registry.devices.count(1)).toBe(0)
  expect(registry.devices.highestId()).toBe(0)
})

test('registered devices are counted, and the highest id is over all applications', () => {
  using registry = openWithMany()
  expect(registry.devices.count(1)).toBe(19)
  expect(registry.devices.count(2)).toBe(10)
  expect(registry.devices.highestId()).toBe(30)
})
