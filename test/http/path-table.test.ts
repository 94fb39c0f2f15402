import { describe, expect, test } from 'bun:test'
import { PathTable } from '../../src/http/path-table.ts'

const table = new PathTable<string>()
for (const path of [
  '/push/:id/:what',
  '/push/:id',
  '/push/all',
  '/:any/one',
  '/push/:id/failures',
  '/push/all/:what',
  '/healthz',
  '/of/:id/*',
  '/of/:id/a/:b',
]) {
  table.set(path, path)
}

describe('the entry of a path', () => {
  test.each([
    ['of a path as it stands', '/healthz', '/healthz'],
    ['of a pattern', '/push/019a9f7e', '/push/:id'],
    ['of a pattern with something after the parameter', '/push/019a9f7e/failures', '/push/:id/failures'],
    ['of a path before that of a pattern', '/push/all', '/push/all'],
    ['of the pattern whose first difference is literal', '/push/all/failures', '/push/all/:what'],
    ['of the pattern that has more of it', '/push/one', '/push/:id'],
    ['of a pattern that begins with a parameter', '/x/one', '/:any/one'],
    ['of a pattern that has any rest', '/of/x/a/b/c', '/of/:id/*'],
    ['of a pattern with a name before that with any rest', '/of/x/a/b', '/of/:id/a/:b'],
  ])('is that %s', (_, path, entry) => {
    expect(table.find(path)).toBe(entry)
  })

  test('compares what is sent: a percent-encoded letter is another path, and a parameter like any', () => {
    expect(table.find('/push/%61ll')).toBe('/push/:id')
    expect(table.find('/push/a%2Ffailures')).toBe('/push/:id')
    expect(table.find('/%70ush/all')).toBeNull()
  })

  test.each([
    '',
    '/',
    '/push',
    '/push/',
    '/push//',
    '/push//failures',
    '/push/x/',
    '/push/x/y/z',
    '/PUSH/x',
    '/of/x',
    '/of//x',
    '/push/x/failures/',
  ])('there is none of %p', (path) => {
    expect(table.find(path)).toBeNull()
  })

  test.each(['%', '%4', '%ZZ', '%ff', 'a%C3', '%C0%80'])(
    'there is none of a parameter that cannot be decoded: %p',
    (id) => {
      expect(table.find(`/push/${id}`)).toBeNull()
      expect(table.find(`/push/${id}/failures`)).toBeNull()
    },
  )

  test('a parameter may be written like the pattern', () => {
    expect(table.find('/push/:id')).toBe('/push/:id')
  })
})
