import { expect, test } from 'bun:test'
import { startVariables } from '../../../src/cli/service/start-variables.ts'

const CAP = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
const HEAP = 'BUN_JSC_forceRAMSize'
const HOLES = 'MIMALLOC_PURGE_HOLES_MIN_INTERVAL'

for (const text of [undefined, '', '0', 'many', '65536', '-1', '1e3']) {
  test(`a process that starts with ${CAP} = ${text ?? 'nothing'} is restarted with the cap`, () => {
    expect(startVariables(300, { [CAP]: text, [HEAP]: '1', [HOLES]: '1' })).toEqual({
      kind: 'restart',
      variables: { [CAP]: '300' },
    })
  })
}

test('a process that starts without a size of the heap is restarted with 192 MiB', () => {
  const given = { [CAP]: '300', [HOLES]: '1' }
  expect(startVariables(300, given)).toEqual({ kind: 'restart', variables: { [HEAP]: '201326592' } })
})

test('a process that starts without a pace for the allocator is restarted with a second', () => {
  const given = { [CAP]: '300', [HEAP]: '1' }
  expect(startVariables(300, given)).toEqual({ kind: 'restart', variables: { [HOLES]: '1000' } })
})

test('what it is restarted with is never restarted again', () => {
  for (const cap of [1, 4096, 65_535]) {
    const first = startVariables(cap, {})
    expect(first.kind === 'restart' && startVariables(cap, first.variables)).toEqual({
      kind: 'set',
      maxInFlight: cap,
      warning: null,
    })
  }
})

test('a cap that the operator has set holds, and is said where it is lower than the setting', () => {
  expect(startVariables(4096, { [CAP]: '512', [HEAP]: '1', [HOLES]: '1' })).toEqual({
    kind: 'set',
    maxInFlight: 512,
    warning: 'BUN_CONFIG_MAX_HTTP_REQUESTS is 512 and holds, although --max-in-flight is 4096.',
  })
  const higher = startVariables(512, { [CAP]: '4096', [HEAP]: '1', [HOLES]: '1' })
  expect(higher).toEqual({ kind: 'set', maxInFlight: 512, warning: null })
})
