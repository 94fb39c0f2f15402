import { join } from 'node:path'
import type { Program } from '../faults/stage/service.ts'

/** A command that an operator runs beside the service, and how it must end. */
interface Command {
  readonly args: readonly string[]
  readonly exitCode: number
}

/** What an operator does in a day, over and over. */
export interface Operator {
  /** Runs the next command to its end; what it should not have done, `null` if all is well. */
  next(): Promise<string | null>
  /** Commands that were run. */
  readonly ran: number
}

interface OperatorOptions {
  readonly program: Program
  /** The data directory of the service. */
  readonly data: string
  readonly application: string
  /** A directory for its files. */
  readonly own: string
  /** Tokens of iOS devices that are registered: they are imported again, and nothing changes. */
  readonly tokens: readonly string[]
}

export async function hireOperator({ program, data, application, own, tokens }: OperatorOptions): Promise<Operator> {
  const list = join(own, 'devices.csv')
  await Bun.write(list, ['token', ...tokens].join('\n'))
  const backups = `${own}/backups/`
  const commands: readonly Command[] = [
    { args: ['backup', backups, '--keep=3'], exitCode: 0 },
    { args: ['import', application, list, '--platform=ios', `--rejects=${own}/rejects`], exitCode: 0 },
    // Only while no server runs.
    { args: ['key', 'rotate'], exitCode: 1 },
    { args: ['app', 'limits', application, '--rate=0'], exitCode: 0 },
    { args: ['backup', backups, '--keep=3'], exitCode: 0 },
    { args: ['compact'], exitCode: 1 },
    { args: ['devices', application, '--json'], exitCode: 0 },
    { args: ['app', 'show', application], exitCode: 0 },
  ]
  let ran = 0
  return {
    get ran() {
      return ran
    },
    async next() {
      const command = commands[ran++ % commands.length]
      if (command === undefined) return null
      const child = Bun.spawn([...program.command, ...command.args, `--data=${data}`], {
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [said, complained, exitCode] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ])
      if (exitCode === command.exitCode) return null
      return `${command.args[0]} ended with ${exitCode}: ${said.slice(-300)}${complained.slice(-300)}`
    },
  }
}
