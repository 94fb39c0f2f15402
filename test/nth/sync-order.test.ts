import { describe, expect, test } from 'bun:test'
import type { TracedCall } from './fault-plan.ts'
import { unsyncedNames } from './sync-order.ts'

/** Lines such as `rename a b`, of process 1 unless they start with another. */
function callsOf(...lines: readonly string[]): readonly TracedCall[] {
  return lines.map((line) => {
    const [process = '', name = '', path = '', target = ''] = (/^\d/.test(line) ? line : `1 ${line}`).split(' ')
    return { process: Number(process), name, path, target }
  })
}

const WRITTEN = ['openat /d/draft', 'write /d/draft', 'fsync /d/draft']

describe('a file that is given a name', () => {
  test('is on disk, when it and then its directory are synced', () => {
    expect(unsyncedNames(callsOf(...WRITTEN, 'rename /d/draft /d/a', 'fsync /d'))).toEqual([])
    expect(unsyncedNames(callsOf(...WRITTEN, 'link /d/draft /d/a', 'unlink /d/draft', 'fsync /d'))).toEqual([])
  })

  test('is not, when it was written once more after its sync', () => {
    expect(unsyncedNames(callsOf(...WRITTEN, 'pwrite /d/draft', 'renameat2 /d/draft /d/a', 'fsync /d'))).toEqual([
      '/d/a gets its name before what is in it is on disk',
    ])
  })

  test('is not, when its directory was synced before, or is another one, or by another process', () => {
    const finding = ['the name /e/a is not on disk in the end']
    expect(unsyncedNames(callsOf(...WRITTEN, 'fsync /e', 'rename /d/draft /e/a'))).toEqual(finding)
    expect(unsyncedNames(callsOf(...WRITTEN, 'rename /d/draft /e/a', 'fsync /d'))).toEqual(finding)
    expect(unsyncedNames(callsOf(...WRITTEN, 'rename /d/draft /e/a', '2 fsync /e'))).toEqual(finding)
  })

  test('is nothing to wait for, when it is gone again', () => {
    expect(unsyncedNames(callsOf('write /d/draft', 'unlink /d/draft'))).toEqual([])
  })
})
