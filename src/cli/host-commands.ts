import type { CommandSpec } from './command.ts'

/** Living on a server. */
export const HOST_COMMANDS: readonly CommandSpec[] = []
