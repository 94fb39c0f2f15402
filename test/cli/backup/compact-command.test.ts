import { afterEach, beforeEach, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../../../src/database/directory-lock.ts'
import { writeDatabaseFile } from '../../../src/database/offline-database.ts'
import { dataDirectories } from '../../backup/data.ts'
import { commandLine, refused } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

let directories: ReturnType<typeof dataDirectories>
let line: CommandLine
let data: string
beforeEach(() => {
  directories = dataDirectories()
  line = commandLine()
  data = directories.make('data', 20_000)
})
afterEach(() => {
  line[Symbol.dispose]()
  directories[Symbol.dispose]()
})

const bellhop = (...argv: readonly string[]) => line.run(argv, { BELLHOP_DATA: data })

test('compact says from what to what; a backup of it is as small, and a second time finds nothing more', async () => {
  const path = join(data, 'bellhop.db')
  {
    using database = writeDatabaseFile(path)
    database.run('DELETE FROM device')
  }
  const first = await bellhop('compact')
  expect(first).toMatchObject({ exitCode: 0, stderr: '' })
  expect(first.stdout).toMatch(/^\S+\/bellhop\.db: from \d\.\d MB to \d+ KB in 0\.0 s\.\n$/)
  const { size } = statSync(path)
  const second = await bellhop('compact', '--json')
  expect(JSON.parse(second.stdout)).toEqual({ database: path, beforeBytes: size, afterBytes: size, tookMs: 0 })
  const copy = directories.path('copy.db')
  await bellhop('backup', copy)
  expect(statSync(copy).size).toBe(size)
})

test('compact is refused while a server runs, and where there is no database', async () => {
  using _ = lockDirectory(data)
  expect(await bellhop('compact')).toEqual(
    refused(1, `A Bellhop serves the data directory ${data}: stop it, compact, and start it again.`),
  )
  const nowhere = directories.path('nowhere')
  expect(await line.run(['compact', '--data', nowhere])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`There is no Bellhop database in ${nowhere}`),
  })
})
