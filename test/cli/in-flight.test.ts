import { expect, test } from 'bun:test'
import { inFlightCap } from '../../src/cli/in-flight.ts'

const NAME = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

for (const text of [undefined, '', '0', 'many', '65536', '-1', '1e3']) {
  test(`a process that starts with ${NAME} = ${text ?? 'nothing'} is restarted with the cap`, () => {
    expect(inFlightCap(300, { [NAME]: text })).toEqual({ kind: 'restart', variables: { [NAME]: '300' } })
  })
}

test('what it is restarted with is never restarted again', () => {
  for (const cap of [1, 4096, 65_535]) {
    const first = inFlightCap(cap, {})
    expect(first.kind === 'restart' && inFlightCap(cap, first.variables)).toEqual({
      kind: 'cap',
      maxInFlight: cap,
      warning: null,
    })
  }
})

test('a cap that the operator has set holds, and is said where it is lower than the setting', () => {
  expect(inFlightCap(4096, { [NAME]: '512' })).toEqual({
    kind: 'cap',
    maxInFlight: 512,
    warning: 'BUN_CONFIG_MAX_HTTP_REQUESTS is 512 and holds, although --max-in-flight is 4096.',
  })
  expect(inFlightCap(512, { [NAME]: '4096' })).toEqual({ kind: 'cap', maxInFlight: 512, warning: null })
})
