import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { corpusOf, makeSound } from './corpus.ts'
import { judgeDamage } from './judge-damage.ts'

/* A few of several hundred: bun run every-nth --damage. */

const directory = directoryOfTests('bellhop-corpus')
const sound = join(directory, 'sound')
makeSound(sound)
const corpus = corpusOf(sound)

const REFUSED: readonly (readonly [damage: string, sentence: string])[] = [
  ['cut to 40960 bytes', 'The database PATH/bellhop.db is damaged. Stop Bellhop and copy its directory'],
  [
    'no database',
    'There is no database PATH/bellhop.db, although its WAL file PATH/bellhop.db-wal exists: restore the database',
  ],
  [
    'a directory in its place',
    'PATH/bellhop.db is no regular file, which Bellhop does not follow: put the file itself',
  ],
  [
    'a lock of noise',
    'The lock PATH/serving.lock, which holds nothing, is not as Bellhop has made it: erase that file',
  ],
  ['a newer schema', 'The database PATH/bellhop.db was written by a newer Bellhop (schema 999; this one knows '],
  ['a credential that is no JSON', 'The database PATH/bellhop.db is damaged. Stop Bellhop and copy its directory'],
]
const SERVED = ['log cut to 100 bytes', 'shared memory of noise']
const TOLD = ['a notification that is no JSON']

describe('a service, and commands beside it, say in a sentence what is wrong, or work:', () => {
  const judge = (name: string) => {
    const damage = corpus.find((each) => each.name === name)
    if (damage === undefined) throw new Error(`no damage is called ${name}`)
    return judgeDamage(sound, damage, true)
  }

  test.each(REFUSED)('%s', async (name, sentence) => {
    const found = await judge(name)
    expect(found).toMatchObject({ serve: 'refused', findings: [] })
    expect(found.sentence?.replaceAll(/\/\S*\/data(?=\/)/g, 'PATH')).toStartWith(sentence)
  })

  test.each(SERVED)('%s', async (name) => {
    expect(await judge(name)).toEqual({ serve: 'served', sentence: null, findings: [] })
  })

  test.each(TOLD)('%s', async (name) => {
    expect(await judge(name)).toEqual({ serve: 'served what is whole', sentence: null, findings: [] })
  })
})
