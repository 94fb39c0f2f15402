import type { Actor } from '../admin/administrator.ts'
import type { Argon2 } from '../admin/password.ts'
import type { Clock } from '../clock.ts'
import type { CheckpointOverrides } from '../database/checkpoint/checkpointer.ts'
import type { Sync } from '../database/database.ts'
import type { RsaKeys } from '../gateway/simulator/certificate.ts'
import type { OpenTransport } from '../gateway/transport/transport.ts'
import type { Resolve } from '../gateway/webpush/host-addresses.ts'
import type { KeyAgreement } from '../gateway/webpush/key-agreement.ts'
import type { listen } from '../http/listener.ts'
import type { Log } from '../log.ts'
import type { Disk } from '../monitoring/storage.ts'
import type { Post } from '../webhook/post.ts'
import type { MakeServeCommand } from './command/command-service.ts'
import type { createPublicApi } from './public/public-api.ts'

/** What tests replace, and what the command line adds. */
export interface Overrides {
  readonly clock?: Clock
  /** In [0, 1). */
  readonly random?: () => number
  readonly log?: Log
  readonly disk?: () => Disk | null
  readonly sync?: (own: Sync) => Sync
  readonly checkpoints?: CheckpointOverrides
  readonly argon2?: Argon2
  readonly rsaKeys?: () => Promise<RsaKeys>
  /** APNs, FCM and Google's token endpoint, instead of HTTP/2. */
  readonly openTransport?: OpenTransport
  readonly resolve?: Resolve
  readonly keyAgreement?: KeyAgreement
  readonly post?: Post
  /** Runs commands for other processes and machines. Default: none. */
  readonly serveCommand?: MakeServeCommand
  /** Called when an upgrade of the database begins and ends. In between, killing the process leaves no trace. */
  readonly onUpgrading?: (underWay: boolean) => void
  /** For the audit log. Default: not logged. */
  readonly startedBy?: Actor
  /** Tests that start many services share one. */
  readonly publicApi?: typeof createPublicApi
  /** Instead of sockets. */
  readonly listen?: typeof listen
}
