import { run } from './cli/run.ts'
import { runServer } from './cli/service/server-process.ts'
import { createOutput } from './cli/terminal/output.ts'
import { systemClock } from './clock.ts'
import { readSystemFile } from './system/read-file.ts'
import { endAtOnce } from './system/libc.ts'
import { createServiceManager } from './system/service-manager.ts'
import { codeOf, describeError } from './text/error-code.ts'

const output = createOutput(process.stdout)
const errors = createOutput(process.stderr)
/** Whether the database must not be written to, not even to close it. */
let untouchable = false

async function main(): Promise<number> {
  const { write: stdout } = output
  const { write: stderr } = errors
  try {
    return await run(process.argv.slice(2), {
      env: process.env,
      stdout,
      written: output.written,
      stderr,
      stdin: () => Bun.stdin.stream(),
      clock: systemClock,
      readFile: readSystemFile,
      terminal: process.stdout.isTTY ? { columns: process.stdout.columns } : null,
      signals: process,
      started,
      serveCommand: servedCommands,
      serve: (config) =>
        runServer(config, {
          stdout,
          stderr,
          clock: systemClock,
          signals: process,
          started() {
            started()
            // Otherwise the first call would collect the start's garbage: 15 ms instead of 9.
            Bun.gc(false)
          },
          onBroken: () => void (untouchable = true),
          attached: process.stdout.isTTY,
          serveCommand: servedCommands,
          env: process.env,
          manager: createServiceManager({
            env: process.env,
            clock: systemClock,
            complain: (sentence) => stderr(`bellhop: ${sentence}\n`),
          }),
        }),
    })
  } catch (error) {
    stderr(`bellhop: Internal error. ${describeError(error)}\n`)
    return 1
  }
}

/** Loaded by a server, but not by the commands that it runs. */
async function servedCommands() {
  const { createServedCommands } = await import('./cli/remote/served-commands.ts')
  return createServedCommands({ clock: systemClock })
}

/** Ends the delayed compilation of the start (`scripts/build/executable.ts`). */
function started(): void {
  Bun.unsafe.setJITPolicy(1)
}

const exitCode = await main()
const lost = await output.written()
// EPIPE: the reader has gone.
if (lost !== null && codeOf(lost) !== 'EPIPE') errors.write(`bellhop: ${lost.message}.\n`)
await errors.written()
// A pipe takes output at its reader's pace; an earlier exit would cut off the rest.
const last = lost === null ? exitCode : Math.max(exitCode, 1)
if (untouchable) endAtOnce(last)
process.exit(last)
