import { expect, test } from 'bun:test'
import { startVariables } from '../../../src/cli/service/start-variables.ts'

const CAP = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
const ANY_BUN = { BUN_JSC_forceRAMSize: '201326592', MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '1000' }
const THIS_BUN = { BUN_JSC_smallHeapGrowthFactor: '1.5', BUN_JSC_minEdenToOldGenerationRatio: '0.2' }
const MEMORY = { ...ANY_BUN, ...THIS_BUN }

for (const text of [undefined, '', '0', 'many', '65536', '-1', '1e3']) {
  test(`a process that starts with ${CAP} = ${text ?? 'nothing'} is restarted with the cap`, () => {
    expect(startVariables(300, { [CAP]: text, ...MEMORY }, true)).toEqual({
      kind: 'restart',
      variables: { [CAP]: '300' },
    })
  })
}

for (const [name, value] of Object.entries(MEMORY)) {
  test(`a process that starts without ${name} is restarted with ${value}`, () => {
    expect(startVariables(300, { [CAP]: '300', ...MEMORY, [name]: undefined }, true)).toEqual({
      kind: 'restart',
      variables: { [name]: value },
    })
  })

  test(`${name} that the operator has set holds`, () => {
    const kind = startVariables(300, { [CAP]: '300', ...MEMORY, [name]: '1' }, true)
    expect(kind).toEqual({ kind: 'set', maxInFlight: 300, warning: null })
  })
}

test('with the source, on a Bun that may be another, nothing is set that only one Bun is known to have', () => {
  const first = startVariables(300, {}, false)
  expect(first).toEqual({ kind: 'restart', variables: { [CAP]: '300', ...ANY_BUN } })
})

test('what it is restarted with is never restarted again', () => {
  for (const cap of [1, 4096, 65_535]) {
    const first = startVariables(cap, {}, true)
    expect(first.kind === 'restart' && startVariables(cap, first.variables, true)).toEqual({
      kind: 'set',
      maxInFlight: cap,
      warning: null,
    })
  }
})

test('a cap that the operator has set holds, and is said where it is lower than the setting', () => {
  expect(startVariables(4096, { [CAP]: '512', ...MEMORY }, true)).toEqual({
    kind: 'set',
    maxInFlight: 512,
    warning: 'BUN_CONFIG_MAX_HTTP_REQUESTS is 512 and holds, although --max-in-flight is 4096.',
  })
  const higher = startVariables(512, { [CAP]: '4096', ...MEMORY }, true)
  expect(higher).toEqual({ kind: 'set', maxInFlight: 512, warning: null })
})
