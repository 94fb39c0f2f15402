import type { CommandSpec } from './command.ts'

/** Whether everything is as it must be. */
export const DOCTOR_COMMANDS: readonly CommandSpec[] = []
