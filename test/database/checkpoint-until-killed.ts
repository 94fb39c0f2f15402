import { statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { raise } from '../support/raise.ts'

/*
 * `bun checkpoint-until-killed.ts DIRECTORY`: writes until the log is being moved, and is killed when some of it is in the
 * file. Prints a dot for each row that is answered.
 */
const [directory = ''] = process.argv.slice(2)
const database = openDatabase(directory)
const checkpointer = database.checkpointBeside(raise, { logPages: 1000 })
const group = createGroupCommit(database, raise, undefined, checkpointer)
const insert = database.statement('INSERT INTO large VALUES (zeroblob(100000))')
const fileBytes = () => statSync(join(directory, 'bellhop.db')).size
const before = fileBytes()

async function write(): Promise<never> {
  for (;;) {
    await group.commit(() => void insert.run())
    writeSync(1, '.')
  }
}

function look(): void {
  if (fileBytes() > before) process.kill(process.pid, 'SIGKILL')
  setImmediate(look)
}

look()
await write()
