/** Tables whose rows are numbered by each server. A move shifts an application's numbers by a constant. */
export const NUMBERED = ['device', 'label', 'push', 'event', 'hook', 'hook_call'] as const

export type Numbered = (typeof NUMBERED)[number]

/** Kinds of values that differ between servers. */
export type LocalValue =
  | 'application'
  | Numbered
  /** A position in the order of devices. */
  | 'position'
  /** Ms of service time. */
  | 'time'
  /** With the server's sealing key. */
  | 'sealed'
  /** JSON: an audience, ranges of positions, or device IDs. */
  | 'audience'
  | 'ranges'
  | 'devices'
  /** 512 devices, by ID. */
  | 'block'

export interface MovedTable {
  readonly name: string
  /** Column that leads to the application: its own number, or a row it owns. */
  readonly by: 'number' | 'application' | 'push' | 'device' | 'hook'
  /** All other columns are copied unchanged. */
  readonly local: Readonly<Record<string, LocalValue>>
  /** Whether the row's times are in the future, as service time. Default: always. */
  readonly waits?: (row: Readonly<Record<string, unknown>>) => boolean
  /** What the seal is bound to. `id`: `application.id`. */
  readonly sealedFor?: (row: Readonly<Record<string, unknown>>, id: string) => readonly [string, string]
}

const table = (
  name: string,
  by: MovedTable['by'],
  local: MovedTable['local'] = {},
  more: Pick<MovedTable, 'waits' | 'sealedFor'> = {},
): MovedTable => ({ name, by, local: by === 'number' ? local : { [by]: by, ...local }, ...more })

/**
 * Every table with rows of an application, in copying order: rows come after those they refer to, and labels after
 * their devices, or a sweep would remove them as unused. Together with `NOT_MOVED` these are all tables
 * (test/move/tables.test.ts).
 */
export const MOVED: readonly MovedTable[] = [
  table('application', 'number', { number: 'application' }),
  table('credential', 'application', { sealed: 'sealed' }, { sealedFor: ({ provider }, id) => [id, String(provider)] }),
  table('user_key', 'application', { sealed: 'sealed' }, { sealedFor: (_, id) => [id, 'user key'] }),
  table('webhook', 'application', { sealed: 'sealed' }, { sealedFor: (_, id) => [id, 'webhook secret'] }),
  table(
    'hook',
    'application',
    { number: 'hook', sealed: 'sealed' },
    { sealedFor: ({ name }) => [`hook ${String(name)}`, 'hook secret'] },
  ),
  table('hook_call', 'hook', { number: 'hook_call' }),
  table('paused_credential', 'application'),
  table('quota', 'application'),
  table('tally', 'application'),
  table('feedback', 'application'),
  table('device', 'application', { id: 'device', moved_at: 'time' }),
  table('device_key', 'device'),
  table('left_device', 'device'),
  table('adopted_token', 'application', { device: 'device' }),
  table('device_label', 'device', { label: 'label' }),
  table('label', 'application', { id: 'label' }),
  table('push', 'application', {
    number: 'push',
    audience: 'audience',
    ceiling: 'position',
    held_until: 'time',
    parent: 'push',
    resend_of: 'push',
    takes_back: 'push',
  }),
  table(
    'delivery',
    'push',
    { application: 'application', progress: 'position', ahead: 'ranges', waits_until: 'time', expires_at: 'time' },
    { waits: ({ finished_at: finishedAt }) => finishedAt === null },
  ),
  table('delivery_language', 'push'),
  table(
    'push_exception',
    'push',
    { device: 'device', due_at: 'time' },
    { waits: ({ state }) => state === 'retry' || state === 'leased' },
  ),
  table('push_receipt', 'push'),
  table('receipt', 'push', { device: 'device' }),
  table('badge_lease', 'push', { first: 'device', last: 'device', devices: 'devices' }),
  table('accepted_device', 'application', { block: 'block' }),
  table('refused_token', 'application', { device: 'device' }),
  table('idempotency', 'application', { push: 'push' }),
  table('event', 'application', { number: 'event', due_at: 'time' }),
  // Last: triggers of the other tables have counted by then.
  table('registry_size', 'application'),
]

const OF_THE_SERVER = 'it is about the server and who administers it'

/** Why other tables are not copied. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  provider_token: 'the other server makes its own',
  label_network: 'a trigger of label fills it',
  registry_day: 'it counts the devices of all applications',
  service_time: 'each server has its own',
  application_move: 'it says where an application is',
  alert: OF_THE_SERVER,
  alert_condition: OF_THE_SERVER,
  administrator: OF_THE_SERVER,
  admin_session: OF_THE_SERVER,
  admin_link: OF_THE_SERVER,
  admin_token: OF_THE_SERVER,
  admin_log: OF_THE_SERVER,
  second_factor: OF_THE_SERVER,
  recovery_code: OF_THE_SERVER,
}
