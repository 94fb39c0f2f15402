// The door of the faults of single system calls, which are in test/nth.
import { runEveryNth } from '../test/nth/run.ts'

process.exit(await runEveryNth(process.argv.slice(2)))
