// The door of the fault harness, which is in test/faults.
import { runFaults } from '../test/faults/run.ts'

process.exit(await runFaults(process.argv.slice(2)))
