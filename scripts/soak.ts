// The door of the soak, which is in test/soak.
import { runSoak } from '../test/soak/run.ts'

process.exit(await runSoak(process.argv.slice(2)))
