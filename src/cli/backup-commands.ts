import type { CommandSpec } from './command.ts'

/** Copies of the data directory. */
export const BACKUP_COMMANDS: readonly CommandSpec[] = []
