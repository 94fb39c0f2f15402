import { describe, expect, test } from 'bun:test'
import { createProviderTokenStore } from '../../src/application/provider-token-store.ts'
import { addApplication } from '../sealing/sealed-records.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const KEY = new Uint8Array(32).fill(7)
const TOKEN = 'bearer the-provider-token'

function start() {
  const temporary = temporaryDatabase()
  const first = addApplication(temporary.database, 'first')
  const second = addApplication(temporary.database, 'second')
  const tokens = createProviderTokenStore({ database: temporary.database, key: KEY })
  return { temporary, first, second, tokens, [Symbol.dispose]: () => temporary[Symbol.dispose]() }
}

describe('the provider token of an application', () => {
  test('is kept, the newest in the place of the one before', () => {
    using made = start()
    const { tokens, first, second } = made
    expect(tokens.all()).toEqual([])
    tokens.save(first, 'older')
    tokens.save(first, TOKEN)
    expect(tokens.all()).toEqual([TOKEN])
    tokens.save(second, 'of the second')
    expect(tokens.all().toSorted()).toEqual([TOKEN, 'of the second'])
  })

  test('is sealed: not in the file, and of no use with another key or for another application', () => {
    using made = start()
    const { tokens, first, second, temporary } = made
    tokens.save(first, TOKEN)
    expect(temporary.contains('the-provider-token')).toBe(false)
    const stranger = createProviderTokenStore({ database: temporary.database, key: new Uint8Array(32) })
    expect(stranger.all()).toEqual([])
    temporary.database
      .statement<never, [number]>('INSERT INTO provider_token SELECT ?, sealed FROM provider_token')
      .run(second.number)
    expect(tokens.all()).toEqual([TOKEN])
  })
})
