import { openDatabase } from '../../src/database/database.ts'
import { rotateKey } from '../../src/sealing/rotate-key.ts'
import { sealedRecordsOf } from '../../src/hook/sealed-records.ts'

/* `bun rotate-until.ts DIRECTORY STEP [FILE]`: a rotation of the key that is killed after this step. */
const [directory = '', step = '', to = null] = process.argv.slice(2)
const database = openDatabase(directory)
rotateKey({
  database,
  sealed: sealedRecordsOf(database),
  dataDirectory: directory,
  text: undefined,
  to,
  discard: false,
  clock: { now: () => Date.UTC(2026, 10, 20, 12) },
  onStep(reached) {
    if (reached === step) process.kill(process.pid, 'SIGKILL')
  },
})
