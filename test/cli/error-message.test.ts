import { expect, test } from 'bun:test'
import { errorMessage } from '../../src/cli/error-message.ts'
import { startRefusalOf } from '../../src/database/storage-errors.ts'
import { StartRefused } from '../../src/failure.ts'

const failed = (code: string, message: string) => Object.assign(new Error(message), { code })

/** `using` throws this if closing fails as well. */
function both(first: Error, closing: Error): unknown {
  try {
    using _ = {
      [Symbol.dispose]() {
        throw closing
      },
    }
    throw first
  } catch (error) {
    return error
  }
}

test('a disk that fails is said to fail', () => {
  expect(errorMessage(failed('EIO', 'EIO: i/o error, fsync'))).toBe(
    'The disk reported an error (EIO: i/o error, fsync): see dmesg for the device.',
  )
})

test('where closing fails as well, what failed first is said', () => {
  const first = failed('SQLITE_IOERR_WRITE', 'disk I/O error')
  const thrown = both(first, failed('EIO', 'EIO: i/o error, rm'))
  expect(thrown).toBeInstanceOf(SuppressedError)
  const sentence = 'The database in the data directory cannot be used: disk I/O error (SQLITE_IOERR_WRITE).'
  expect(errorMessage(thrown)).toBe(sentence)
  expect(errorMessage(both(new Error('a bug'), first))).toBeNull()
  const refusal = startRefusalOf(thrown, '/nowhere')
  expect(refusal).toBeInstanceOf(StartRefused)
  expect(String(refusal)).toContain('disk I/O error')
})
