import { describe, expect, test } from 'bun:test'
import { Suspicion } from '../../src/delivery/suspicion.ts'

describe('a refused token', () => {
  test('is believed once the credential has proven itself', () => {
    const suspicion = new Suspicion<number>(true)
    expect(suspicion.weigh(1, 'token')).toBe('believe')
    expect(suspicion.weigh(2, 'mismatch')).toBe('believe')
    expect(suspicion.release()).toEqual([])
  })

  test('is set aside before, and comes back when a notification is taken', () => {
    const suspicion = new Suspicion<number>(false)
    expect(suspicion.weigh(1, 'token')).toBe('aside')
    expect(suspicion.weigh(2, 'token')).toBe('aside')
    expect(suspicion.prove()).toBe(true)
    expect(suspicion.release()).toEqual([1, 2])
    expect(suspicion.prove()).toBe(false)
    expect(suspicion.weigh(3, 'token')).toBe('believe')
  })

  test('is the credential’s fault when it is the tenth and none was taken', () => {
    const suspicion = new Suspicion<number>(false)
    for (let n = 1; n < 10; n++) expect(suspicion.weigh(n, 'token')).toBe('aside')
    expect(suspicion.weigh(10, 'token')).toBe('accuse')
    expect(suspicion.release()).toHaveLength(10)
  })

  test('of another topic, sender or environment is the credential’s fault at once', () => {
    const suspicion = new Suspicion<number>(false)
    expect(suspicion.weigh(1, 'token')).toBe('aside')
    expect(suspicion.weigh(2, 'mismatch')).toBe('accuse')
    expect(suspicion.release()).toEqual([1, 2])
  })

  test('is enough to accuse again a credential that was accused before', () => {
    const suspicion = new Suspicion<number>(false)
    suspicion.weigh(1, 'mismatch')
    suspicion.release()
    expect(suspicion.weigh(1, 'token')).toBe('accuse')
  })
})
