import type { CommandSpec } from './command.ts'

/** Sending, and looking at what there is. */
export const EVERYDAY_COMMANDS: readonly CommandSpec[] = []
