import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * The tables as drizzle sees them. `migrations/*.sql` creates them and carries the units and the checks;
 * `test/database/database.test.ts` holds the two together.
 */
export const application = sqliteTable('application', {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull().unique(),
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
})

export const credential = sqliteTable(
  'credential',
  {
    application: integer().notNull(),
    provider: text({ enum: ['apns', 'fcm'] }).notNull(),
    public: text().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
    provenAt: integer('proven_at'),
  },
  (table) => [primaryKey({ columns: [table.application, table.provider] })],
)

export const providerToken = sqliteTable('provider_token', {
  application: integer().primaryKey(),
  sealed: blob({ mode: 'buffer' }).notNull(),
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
  id: text().notNull().unique(),
  application: integer().notNull(),
  type: text().notNull(),
  body: text().notNull(),
  attempt: integer().notNull().default(0),
  dueAt: integer('due_at').notNull(),
  createdAt: integer('created_at').notNull(),
})

export const pausedCredential = sqliteTable(
  'paused_credential',
  {
    application: integer().notNull(),
    platform: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.platform] })],
)

export const push = sqliteTable(
  'push',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    application: integer().notNull(),
    notification: text().notNull(),
    audience: text().notNull(),
    ceiling: integer().notNull(),
    opened: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    sendAt: integer('send_at'),
    releasedAt: integer('released_at'),
    cancelledAt: integer('cancelled_at'),
    parent: integer(),
    toldAt: integer('told_at'),
  },
  (table) => [index('push_by_application').on(table.application, table.number)],
)

export const feedback = sqliteTable(
  'feedback',
  {
    application: integer().notNull(),
    platform: integer().notNull(),
    token: blob().notNull(),
    reason: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.application, table.platform, table.token] }),
    index('feedback_by_time').on(table.application, table.at),
  ],
)

export const tally = sqliteTable(
  'tally',
  {
    application: integer().notNull(),
    day: integer().notNull(),
    platform: integer().notNull(),
    t: integer().notNull().default(0),
    s: integer().notNull().default(0),
    o: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.application, table.day, table.platform] })],
)

export const quota = sqliteTable(
  'quota',
  {
    application: integer().notNull(),
    period: text().notNull(),
    used: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.application, table.period] })],
)

export const label = sqliteTable(
  'label',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    application: integer().notNull(),
    kind: integer().notNull(),
    name: text().notNull(),
  },
  (table) => [uniqueIndex('label_by_name').on(table.application, table.kind, table.name)],
)
