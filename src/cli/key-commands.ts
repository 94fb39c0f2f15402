import type { CommandSpec } from './command.ts'

/** The key that seals credentials. */
export const KEY_COMMANDS: readonly CommandSpec[] = []
