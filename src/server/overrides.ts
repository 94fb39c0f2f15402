import type { Actor } from '../admin/administrator.ts'
import type { Clock } from '../clock.ts'
import type { CheckpointOverrides } from '../database/checkpoint/checkpointer.ts'
import type { Sync } from '../database/database.ts'
import type { RsaKeys } from '../gateway/simulator/fcm/rsa-keys.ts'
import type { OpenTransport } from '../gateway/transport/transport.ts'
import type { Resolve } from '../gateway/webpush/host-addresses.ts'
import type { KeyAgreement } from '../gateway/webpush/key-agreement.ts'
import type { listen } from '../http/listener.ts'
import type { Log } from '../log.ts'
import type { Disk } from '../monitoring/storage.ts'
import type { Post } from '../webhook/post.ts'
import type { MakeServeCommand } from './command-service.ts'
import type { createPublicApi } from './public-api.ts'

/** What tests replace; and what the command line, which stands above, brings along. */
export interface Overrides {
  readonly clock?: Clock
  /** In [0, 1). */
  readonly random?: () => number
  readonly log?: Log
  /** The disk of the data directory. */
  readonly disk?: () => Disk | null
  /** Makes commits durable, in the place of the disk itself. */
  readonly sync?: (own: Sync) => Sync
  /** How the log of the database is moved into its file, and when. */
  readonly checkpoints?: CheckpointOverrides
  /** Makes the keys of the simulator. */
  readonly rsaKeys?: () => Promise<RsaKeys>
  /** The way to APNs, FCM and Google's token endpoint, in the place of HTTP/2. */
  readonly openTransport?: OpenTransport
  /** Looks up the hosts of push services. */
  readonly resolve?: Resolve
  /** Agrees with the keys of browsers, in the place of a thread. */
  readonly keyAgreement?: KeyAgreement
  /** Calls receivers of webhooks. */
  readonly post?: Post
  /** Runs commands of other processes and machines. Default: there are none. */
  readonly serveCommand?: MakeServeCommand
  /** Hears whether the database is being upgraded: the process may end then, and nothing of it is done. */
  readonly onUpgrading?: (underWay: boolean) => void
  /** Who has started it, for the audit log. Default: a start is not written down. */
  readonly startedBy?: Actor
  /** Makes the public API; where services come one after the other, one may do for all of them. */
  readonly publicApi?: typeof createPublicApi
  /** Takes calls, in the place of sockets. */
  readonly listen?: typeof listen
}
