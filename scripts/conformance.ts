// The door of the conformance report, which is in test/conformance.
import { runConformance } from '../test/conformance/run.ts'

process.exit(await runConformance(process.argv.slice(2), (text) => console.log(text)))
