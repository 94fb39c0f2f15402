import { EventEmitter } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import type { CommandContext } from '../../src/cli/command.ts'
import { createServedCommands } from '../../src/cli/remote/served-commands.ts'
import { run } from '../../src/cli/run.ts'
import { openDatabase } from '../../src/database/database.ts'
import type { Database } from '../../src/database/database.ts'
import type { Config } from '../../src/settings/parse.ts'
import { readSystemFile } from '../../src/system/read-file.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { layNewDatabase } from '../support/new-database.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

interface Printed {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandLine extends Disposable {
  readonly data: string
  readonly served: readonly Config[]
  /** How often a command began. */
  readonly starts: number
  /** Starts at 2026-11-20 12:00 UTC. */
  readonly clock: FakeClock
  /**
   * Runs a command on `data`, unless `env` sets BELLHOP_DATA. Default: no terminal, `clock`, no signals, no standard
   * input.
   */
  run(
    argv: readonly string[],
    env?: Readonly<Record<string, string>>,
    over?: Partial<Pick<CommandContext, 'clock' | 'terminal' | 'signals' | 'stdin' | 'stdout' | 'stderr'>>,
  ): Promise<Printed>
  /** Written beside the database. Returns its path. */
  file(name: string, content: string | Uint8Array): string
  database(): Database
}

/** `isEmpty`: without a database. */
export function commandLine({ isEmpty = false } = {}): CommandLine {
  const own = temporaryDirectory('bellhop-cli')
  const data = own.path
  if (!isEmpty) layNewDatabase(data)
  const served: Config[] = []
  let starts = 0
  const clock = createFakeClock()
  return {
    data,
    served,
    get starts() {
      return starts
    },
    clock,
    async run(argv, env = {}, over = {}) {
      let stdout = ''
      let stderr = ''
      const exitCode = await run(argv, {
        env: { BELLHOP_DATA: data, ...env },
        stdout: (text) => void (stdout += text),
        stderr: (text) => void (stderr += text),
        clock,
        readFile: readSystemFile,
        terminal: null,
        signals: new EventEmitter(),
        started: () => void starts++,
        serveCommand: async () => createServedCommands({ clock }),
        async serve(config) {
          served.push(config)
          return 0
        },
        ...over,
      })
      return { exitCode, stdout, stderr }
    },
    file(name, content) {
      const path = join(data, name)
      writeFileSync(path, content)
      return path
    },
    database: () => openDatabase(data),
    [Symbol.dispose]: () => own[Symbol.dispose](),
  }
}

/** Of `--json`: an object a line. */
export function jsonLines(text: string): any[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** A success prints these lines on standard output. */
export const printed = (...lines: readonly string[]): Printed => ({
  exitCode: 0,
  stdout: lines.map((line) => `${line}\n`).join(''),
  stderr: '',
})

/** A failure prints these sentences on standard error. */
export const refused = (exitCode: number, ...sentences: readonly string[]): Printed => ({
  exitCode,
  stdout: '',
  stderr: sentences.map((sentence) => `bellhop: ${sentence}\n`).join(''),
})

/** The sealing key in the data directory. */
export const keyOf = (cli: CommandLine) => Buffer.from(readFileSync(join(cli.data, 'key'), 'utf8'), 'base64')

/** The arguments of stores, and an application that must exist. */
export function openShop(cli: CommandLine, name = 'Shop') {
  const { clock } = cli
  const database = cli.database()
  const application = createApplicationStore({ database, clock }).find(name)
  if (application === null) throw new Error(`there is no ${name}`)
  return {
    database,
    clock,
    application,
    [Symbol.dispose]: () => database[Symbol.dispose](),
  }
}

/** With the application Shop. */
export async function withShop(): Promise<CommandLine & { readonly id: string; readonly secret: string }> {
  const cli = commandLine()
  const { id, secret } = JSON.parse((await cli.run(['app', 'create', 'Shop', '--json'])).stdout)
  return Object.assign(cli, { id, secret })
}
