// The door of the simulation, which is in test/simulation.
import { runSimulation } from '../test/simulation/run.ts'

process.exit(await runSimulation(process.argv.slice(2)))
