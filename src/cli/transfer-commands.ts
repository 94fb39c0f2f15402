import type { CommandSpec } from './command.ts'

/** Devices from other services, and to them. */
export const TRANSFER_COMMANDS: readonly CommandSpec[] = []
