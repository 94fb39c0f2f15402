import type { RunCommand } from './command.ts'

/** What runs each command of `commands.ts` but `serve`, `help` and those of `app`; loaded when it is called for. */
export const RUNNERS: Readonly<Record<string, () => Promise<RunCommand>>> = {}
