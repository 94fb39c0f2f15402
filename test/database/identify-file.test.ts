import { describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseRefused } from '../../src/database/database-refused.ts'
import { openDatabase } from '../../src/database/database.ts'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'

const directory = directoryOfEachTest('bellhop-own-file')

describe('what is not a database of Bellhop is refused with a sentence, and left as it is:', () => {
  const refusal = () => {
    try {
      openDatabase(directory())[Symbol.dispose]()
    } catch (error) {
      return error instanceof DatabaseRefused ? error.message : error
    }
    return null
  }
  const path = () => join(directory(), 'bellhop.db')

  test('another program’s', () => {
    {
      using other = new Sqlite(path(), { create: true })
      other.run('CREATE TABLE device (id INTEGER PRIMARY KEY)')
      other.run('PRAGMA user_version = 3')
    }
    const bytes = readFileSync(path())
    expect(refusal()).toBe(
      `The database ${path()} is not of Bellhop but of another program. It is left as it is: name another data directory (--data).`,
    )
    expect(readFileSync(path()).equals(bytes)).toBe(true)
    expect(readdirSync(directory())).toEqual(['bellhop.db'])
  })

  test('a file of another kind', () => {
    writeFileSync(path(), 'a list of things to do\n'.repeat(100))
    expect(refusal()).toBe(
      `The file ${path()} is not a database, or its beginning is damaged. It is left as it is: restore a backup, or choose another data directory (--data).`,
    )
  })

  test('an empty file where there was more; a first start that ended at once is none of that', () => {
    writeFileSync(path(), '')
    expect(refusal()).toBeNull()
    rmSync(path())
    writeFileSync(path(), '')
    writeFileSync(join(directory(), 'key'), '')
    const sentence = `The database ${path()} is empty, although its directory was in use: restore a backup, or delete the file to start empty.`
    expect(refusal()).toBe(sentence)
    rmSync(join(directory(), 'key'))
    writeFileSync(`${path()}-wal`, 'all that was written last')
    expect(refusal()).toBe(sentence)
    expect(readFileSync(`${path()}-wal`, 'utf8')).toBe('all that was written last')
  })
})
