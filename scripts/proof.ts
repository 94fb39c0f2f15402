// The entry point of the transports' proof, which is in test/proof.
import { runProof } from '../test/proof/run.ts'

process.exit(await runProof(process.argv.slice(2)))
