import { describe, expect, test } from 'bun:test'
import { WriteQueue } from '../../src/delivery/persist.ts'

/** Takes a transaction when told to. */
function disk() {
  const transactions: { readonly run: () => unknown; readonly done: (result: unknown) => void }[] = []
  return {
    transactions,
    persist: <T>(operation: () => T) =>
      new Promise<T>((resolve) => transactions.push({ run: operation, done: (result) => resolve(result as T) })),
    take: async (): Promise<void> => {
      const transaction = transactions.shift()
      transaction?.done(transaction.run())
      await Bun.sleep(0)
    },
  }
}

describe('what a delivery has to write', () => {
  test('is handed to the disk at once when nothing is before it', () => {
    const { persist, transactions } = disk()
    void new WriteQueue(persist).add(() => {})
    expect(transactions).toHaveLength(1)
  })

  test('waits for what is before it, and is then written together, in order', async () => {
    const { persist, transactions, take } = disk()
    const written: string[] = []
    const queue = new WriteQueue(persist)
    const told = ['first', 'second', 'third'].map((name) =>
      queue.add(() => void written.push(name)).then(() => written.push(`told of the ${name}`)),
    )
    expect(transactions).toHaveLength(1)
    await take()
    expect(written).toEqual(['first', 'told of the first'])
    expect(transactions).toHaveLength(1)
    await take()
    await Promise.all(told)
    expect(written.slice(2, 4)).toEqual(['second', 'third'])
    expect(transactions).toHaveLength(0)
  })

  test('is written again as a whole when the disk refuses it: nothing overtakes it', async () => {
    const { persist, transactions, take } = disk()
    const written: string[] = []
    const queue = new WriteQueue(persist)
    void queue.add(() => void written.push('first'))
    void queue.add(() => void written.push('second'))
    // A transaction was rolled back, to be retried.
    transactions[0]?.run()
    expect(written.splice(0)).toEqual(['first'])
    await take()
    await take()
    expect(written).toEqual(['first', 'second'])
  })

  test('is known to be on disk when all of it is', async () => {
    const { persist, take } = disk()
    const queue = new WriteQueue(persist)
    await queue.empty()
    void queue.add(() => {})
    void queue.add(() => {})
    let empty = false
    void queue.empty().then(() => (empty = true))
    await take()
    expect(empty).toBe(false)
    await take()
    expect(empty).toBe(true)
  })
})
