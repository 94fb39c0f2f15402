import type { ApplicationDirectory } from '../../application/application-directory.ts'
import type { Clock } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { AdminGate } from '../admin-gate.ts'
import type { AdminLogStore } from '../admin-log-store.ts'

export interface AdminParts {
  readonly gate: AdminGate
  readonly clock: Clock
  readonly commit: Commit
  readonly directory: ApplicationDirectory
  readonly log: AdminLogStore
}
