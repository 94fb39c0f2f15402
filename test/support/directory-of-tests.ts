import { afterAll, beforeEach, onTestFinished } from 'bun:test'
import { temporaryDirectory } from './temporary-directory.ts'

/**
 * A new directory for the tests of a file or of a `describe`. `afterAll` hooks run in their order: what is open in it is
 * closed by hooks above.
 */
export function directoryOfTests(name: string): string {
  const directory = temporaryDirectory(name)
  afterAll(() => directory[Symbol.dispose]())
  return directory.path
}

/** A new one for each test, there from this hook on, and removed after all `afterEach` hooks. */
export function directoryOfEachTest(name: string): () => string {
  let path = ''
  beforeEach(() => {
    const directory = temporaryDirectory(name)
    path = directory.path
    onTestFinished(() => directory[Symbol.dispose]())
  })
  return () => path
}
