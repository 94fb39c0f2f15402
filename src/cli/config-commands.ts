import type { CommandSpec } from './command.ts'

/** The settings, and the command line itself. */
export const CONFIG_COMMANDS: readonly CommandSpec[] = []
