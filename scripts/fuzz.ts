// The door of the hostile input, which is in test/fuzz.
import { runFuzz } from '../test/fuzz/run.ts'

process.exit(await runFuzz(process.argv.slice(2)))
