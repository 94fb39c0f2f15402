import { blob, customType, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SQLiteTableWithColumns } from 'drizzle-orm/sqlite-core'
import type { Platform, ProviderName } from '../platform.ts'

/*
 * The tables as the code knows them. `migrations/*.sql` makes them, with units, checks and indexes;
 * test/database/schema.test.ts compares the two.
 *
 * Rare statements use drizzle (`orm`). Those for each registration, recipient, page, delivery, event or imported row
 * are raw (`statement`, `reading`), and so are those that are held to a query plan or read any schema; their rows are
 * `StoredRow`s.
 */
const platform = () => integer().$type<Platform>().notNull()

/** BLOB: bytes of lower-case hex; TEXT: as it came. See `device/device.ts`. */
const token = customType<{ data: string | Uint8Array }>({ dataType: () => 'any' })

export const application = sqliteTable('application', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  name: text().notNull(),
  secretHash: blob('secret_hash', { mode: 'buffer' }).notNull(),
  rate: real().notNull(),
  burst: integer().notNull(),
  backendRate: real('backend_rate').notNull(),
  backendBurst: integer('backend_burst').notNull(),
  quota: integer().notNull(),
  quotaPeriod: text('quota_period', { enum: ['day', 'month'] }).notNull(),
  simulated: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
  confirmAbove: integer('confirm_above').notNull().default(0),
  holdSeconds: integer('hold_seconds').notNull().default(0),
  maxLabels: integer('max_labels').notNull().default(100_000),
  maxDevices: integer('max_devices').notNull().default(1_000_000),
  pushId: integer('push_id', { mode: 'boolean' }).notNull().default(true),
  secretEverywhere: integer('secret_everywhere', { mode: 'boolean' }).notNull().default(false),
  verifyUsers: integer('verify_users', { mode: 'boolean' }).notNull().default(false),
  adoptImported: integer('adopt_imported', { mode: 'boolean' }),
  previousSecretHash: blob('previous_secret_hash', { mode: 'buffer' }),
  previousUntil: integer('previous_until'),
})

export const credential = sqliteTable(
  'credential',
  {
    application: integer().notNull(),
    provider: text().$type<ProviderName>().notNull(),
    public: text().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.provider] })],
)

export const providerToken = sqliteTable('provider_token', {
  application: integer().primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
})

export const applicationUserKey = sqliteTable('user_key', {
  application: integer().primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  previousUntil: integer('previous_until'),
  createdAt: integer('created_at').notNull(),
})

export const device = sqliteTable('device', {
  id: integer().primaryKey({ autoIncrement: true }),
  application: integer().notNull(),
  platform: platform(),
  state: integer().$type<0 | 1 | 2>().notNull().default(0),
  environment: integer().$type<0 | 1>(),
  token: token().notNull(),
  alias: text(),
  lat: real(),
  lng: real(),
  badge: integer().notNull().default(0),
  registeredAt: integer('registered_at').notNull(),
  seenAt: integer('seen_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  timezone: text(),
  cell: integer(),
  movedAt: integer('moved_at'),
  user: text(),
  locale: text(),
  imported: integer().$type<0 | 1>(),
  fcmPlatform: integer('fcm_platform').$type<0 | 1>(),
  appVersion: text('app_version'),
  client: text(),
})

export const acceptedDevice = sqliteTable(
  'accepted_device',
  {
    application: integer().notNull(),
    platform: platform(),
    credential: integer().notNull(),
    block: integer().notNull(),
    devices: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.platform, table.credential, table.block] })],
)

export const refusedToken = sqliteTable(
  'refused_token',
  {
    application: integer().notNull(),
    platform: platform(),
    credential: integer().notNull(),
    device: integer().notNull(),
    reason: text().notNull(),
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.platform, table.credential, table.device] })],
)

export const feedback = sqliteTable(
  'feedback',
  {
    application: integer().notNull(),
    platform: platform(),
    token: token().notNull(),
    reason: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.platform, table.token] })],
)

export const leftDevice = sqliteTable('left_device', {
  device: integer().primaryKey(),
  alias: text(),
  labels: text().notNull(),
})

export const adoptedToken = sqliteTable('adopted_token', {
  device: integer().primaryKey(),
  application: integer().notNull(),
  platform: platform(),
  token: token().notNull(),
  at: integer().notNull(),
})

export const deviceKey = sqliteTable('device_key', {
  device: integer().primaryKey(),
  p256dh: blob({ mode: 'buffer' }).notNull(),
  auth: blob({ mode: 'buffer' }).notNull(),
})

export const registrySize = sqliteTable('registry_size', {
  application: integer().primaryKey(),
  devices: integer().notNull().default(0),
  labels: integer().notNull().default(0),
})

export const registryDay = sqliteTable('registry_day', {
  day: integer().primaryKey(),
  ceiling: integer().notNull(),
})

export const webhook = sqliteTable('webhook', {
  application: integer().primaryKey(),
  url: text().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  events: text().notNull(),
  changedAt: integer('changed_at').notNull(),
  disabledAt: integer('disabled_at'),
  waiting: integer().notNull().default(0),
  dropped: integer().notNull().default(0),
})

export const event = sqliteTable('event', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  application: integer().notNull(),
  type: text().notNull(),
  body: text().notNull(),
  attempt: integer().notNull().default(0),
  dueAt: integer('due_at').notNull(),
  createdAt: integer('created_at').notNull(),
})

export const pausedCredential = sqliteTable(
  'paused_credential',
  { application: integer().notNull(), platform: platform() },
  (table) => [primaryKey({ columns: [table.application, table.platform] })],
)

export const tally = sqliteTable(
  'tally',
  {
    application: integer().notNull(),
    day: integer().notNull(),
    platform: platform(),
    t: integer().notNull().default(0),
    s: integer().notNull().default(0),
    o: integer().notNull().default(0),
    received: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.application, table.day, table.platform] })],
)

export const delivery = sqliteTable(
  'delivery',
  {
    push: integer().notNull(),
    platform: platform(),
    application: integer().notNull(),
    lane: integer().$type<0 | 1>().notNull(),
    progress: integer().notNull().default(0),
    ahead: text().notNull().default('[]'),
    addressed: integer(),
    settled: integer().notNull().default(0),
    accepted: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    startedAt: integer('started_at'),
    finishedAt: integer('finished_at'),
    removed: integer().notNull().default(0),
    waitsUntil: integer('waits_until'),
    expiresAt: integer('expires_at'),
    refused: text(),
  },
  (table) => [primaryKey({ columns: [table.push, table.platform] })],
)

export const pushException = sqliteTable(
  'push_exception',
  {
    push: integer().notNull(),
    platform: platform(),
    device: integer().notNull(),
    state: text({ enum: ['retry', 'leased', 'rejected', 'gone', 'expired'] }).notNull(),
    attempt: integer().notNull(),
    dueAt: integer('due_at').notNull(),
    badge: integer(),
    reason: text().notNull(),
    language: text(),
  },
  (table) => [primaryKey({ columns: [table.push, table.platform, table.device] })],
)

export const badgeLease = sqliteTable(
  'badge_lease',
  {
    push: integer().notNull(),
    platform: platform(),
    last: integer().notNull(),
    first: integer().notNull(),
    devices: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.push, table.platform, table.last] })],
)

export const serviceTime = sqliteTable('service_time', {
  id: integer().primaryKey(),
  serviceMs: integer('service_ms').notNull(),
  wallMs: integer('wall_ms').notNull(),
})

export const push = sqliteTable('push', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  application: integer().notNull(),
  notification: text().notNull(),
  audience: text().notNull(),
  ceiling: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  sendAt: integer('send_at'),
  releasedAt: integer('released_at'),
  cancelledAt: integer('cancelled_at'),
  parent: integer(),
  toldAt: integer('told_at'),
  resendOf: integer('resend_of'),
  heldUntil: integer('held_until'),
  takesBack: integer('takes_back'),
})

export const idempotency = sqliteTable(
  'idempotency',
  {
    application: integer().notNull(),
    key: text().notNull(),
    digest: blob({ mode: 'buffer' }).notNull(),
    push: integer().notNull(),
    answer: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.key] })],
)

export const hook = sqliteTable('hook', {
  number: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  application: integer().notNull(),
  template: text().notNull(),
  keyHash: blob('key_hash', { mode: 'buffer' }),
  signature: text({ enum: ['standard', 'github', 'stripe'] }),
  sealed: blob({ mode: 'buffer' }),
  createdAt: integer('created_at').notNull(),
  changedAt: integer('changed_at').notNull(),
})

export const hookCall = sqliteTable('hook_call', {
  number: integer().primaryKey({ autoIncrement: true }),
  hook: integer().notNull(),
  at: integer().notNull(),
  outcome: text({ enum: ['pushed', 'ignored', 'refused'] }).notNull(),
  detail: text().notNull(),
  repeats: integer().notNull().default(1),
})

export const alert = sqliteTable('alert', {
  number: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  channel: text({ enum: ['webhook', 'ntfy', 'email'] }).notNull(),
  place: text().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  kinds: text().notNull(),
  createdAt: integer('created_at').notNull(),
  toldAt: integer('told_at'),
  problem: text(),
})

export const alertCondition = sqliteTable(
  'alert_condition',
  {
    alert: integer().notNull(),
    about: text().notNull(),
    kind: text({ enum: ['not-ready', 'backup-late', 'certificate', 'quota', 'credential', 'disk'] }).notNull(),
    what: text().notNull(),
    next: text().notNull(),
    since: integer().notNull(),
    endedAt: integer('ended_at'),
    told: integer().$type<0 | 1>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.alert, table.about] })],
)

export const administrator = sqliteTable('administrator', {
  number: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  password: text().notNull(),
  createdAt: integer('created_at').notNull(),
})

export const adminSession = sqliteTable('admin_session', {
  digest: blob({ mode: 'buffer' }).primaryKey(),
  administrator: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  seenAt: integer('seen_at').notNull(),
})

export const adminLink = sqliteTable('admin_link', {
  digest: blob({ mode: 'buffer' }).primaryKey(),
  administrator: integer(),
  expiresAt: integer('expires_at').notNull(),
  madeBy: text('made_by'),
})

export const adminToken = sqliteTable('admin_token', {
  name: text().primaryKey(),
  digest: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
  usedAt: integer('used_at'),
  purpose: text({ enum: ['read', 'send', 'operate', 'administer'] }).notNull(),
  expiresAt: integer('expires_at'),
  madeBy: text('made_by'),
})

export const secondFactor = sqliteTable('second_factor', {
  administrator: integer().primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  confirmedAt: integer('confirmed_at'),
  lastStep: integer('last_step').notNull(),
})

export const recoveryCode = sqliteTable(
  'recovery_code',
  {
    administrator: integer().notNull(),
    digest: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.administrator, table.digest] })],
)

export const adminLog = sqliteTable('admin_log', {
  number: integer().primaryKey({ autoIncrement: true }),
  at: integer().notNull(),
  who: text().notNull(),
  action: text().notNull(),
  subject: text().notNull(),
  detail: text().notNull(),
  origin: text().notNull(),
  command: text().notNull(),
  changes: text().notNull(),
  result: text({ enum: ['started', 'ok', 'refused', 'failed'] }).notNull(),
  code: text().notNull(),
})

export const applicationMove = sqliteTable('application_move', {
  id: text().primaryKey(),
  application: integer().notNull(),
  name: text().notNull(),
  phase: text({ enum: ['leaving', 'frozen', 'left', 'gone', 'arriving', 'arrived', 'here'] }).notNull(),
  adminUrl: text('admin_url'),
  url: text(),
  sealed: blob({ mode: 'buffer' }),
  digest: blob({ mode: 'buffer' }),
  hooks: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
  changedAt: integer('changed_at').notNull(),
})

/** What a column holds, as SQLite gives it. */
type Stored<Data> = Data extends boolean ? 0 | 1 : Data extends Buffer ? Uint8Array : Data

type Columns<Table> = Table extends SQLiteTableWithColumns<infer Config> ? Config['columns'] : never

/** Columns by their own names. */
export type StoredRow<Table> = {
  readonly [Key in keyof Columns<Table> as Columns<Table>[Key]['_']['name']]:
    | Stored<Columns<Table>[Key]['_']['data']>
    | (Columns<Table>[Key]['_']['notNull'] extends true ? never : null)
}
