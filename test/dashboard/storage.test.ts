import { afterEach, expect, test } from 'bun:test'
import { store, stored } from '../../src/dashboard/client/storage.ts'

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'localStorage')
})

function setStorage(get: () => unknown): void {
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get })
}

test('a browser that blocks storage stores nothing, and no page breaks', () => {
  setStorage(() => {
    throw new Error('SecurityError')
  })
  expect([store('a', 'b'), stored('a')]).toEqual([false, null])
})

test('what a browser stores is there again', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  }
  setStorage(() => storage)
  expect([stored('a'), store('a', 'b'), stored('a')]).toEqual([null, true, 'b'])
})
