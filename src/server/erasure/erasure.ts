import { PLAIN } from '../../device/columns.ts'

type Fate =
  /** Deletes its row. */
  | 'erased'
  /** The row stays for its counts, without a name. */
  | 'emptied'
  /** Unchanged, for the reason in `kept`. */
  | 'kept'

export interface NamingColumn {
  /** `id`: a `device.id`; `ids`: many, in JSON; `bit`: one bit a device; `text`: names and facts. */
  readonly holds: 'id' | 'ids' | 'bit' | 'text'
  /** By `PUT /user/del` and `bellhop user erase`. */
  readonly user: Fate
  /** By `PUT /deviceToken/del`. An id that is kept then belongs to no device: ids are not reused. */
  readonly device: Fate
  readonly kept?: string
}

const ROW: NamingColumn = { holds: 'text', user: 'erased', device: 'erased' }
const ID_ROW: NamingColumn = { ...ROW, holds: 'id' }
const POSITION: NamingColumn = {
  holds: 'id',
  user: 'kept',
  device: 'kept',
  kept: 'a position in the order of all devices, which is of none of them',
}
const WITH_PUSH = '90 days, with the push'
const LEASED: NamingColumn = {
  holds: 'id',
  user: 'emptied',
  device: 'kept',
  kept: 'until the devices of its page have an outcome',
}
const LABEL: NamingColumn = {
  holds: 'text',
  user: 'kept',
  device: 'kept',
  kept: 'until no device has had the name for an hour',
}

/** How to find rows about a user: by the user's devices, in the pushes, or deleted with the device's row. */
interface NamingTable {
  readonly by: 'devices' | 'pushes' | 'trigger' | 'nothing'
  readonly columns: Readonly<Record<string, NamingColumn>>
}

/**
 * Every column that identifies a device or user of an application. Deleting an application erases them all. Columns
 * that are missing here identify neither (test/server/erasure.test.ts).
 */
export const ERASURE = {
  device: {
    by: 'devices',
    columns: {
      id: ID_ROW,
      token: ROW,
      alias: ROW,
      lat: ROW,
      lng: ROW,
      cell: ROW,
      badge: ROW,
      ...Object.fromEntries(PLAIN.map((name) => [name, ROW])),
    },
  },
  device_label: { by: 'trigger', columns: { device: ID_ROW } },
  device_key: { by: 'trigger', columns: { device: ID_ROW, p256dh: ROW, auth: ROW } },
  left_device: { by: 'trigger', columns: { device: ID_ROW, alias: ROW, labels: ROW } },
  adopted_token: { by: 'trigger', columns: { device: ID_ROW, token: ROW } },
  label: { by: 'nothing', columns: { name: LABEL, network: LABEL } },
  label_network: { by: 'nothing', columns: { network: LABEL } },
  feedback: {
    by: 'devices',
    columns: { token: { ...ROW, device: 'kept', kept: '90 days, since the backend asks which tokens are dead' } },
  },
  event: {
    by: 'devices',
    columns: { body: { ...ROW, device: 'kept', kept: 'until it is delivered, at most three days' } },
  },
  accepted_device: {
    by: 'devices',
    columns: {
      devices: { holds: 'bit', user: 'emptied', device: 'kept', kept: 'until another credential works' },
      block: POSITION,
    },
  },
  refused_token: {
    by: 'devices',
    columns: { device: { ...ID_ROW, device: 'kept', kept: 'until this or another credential works' } },
  },
  receipt: { by: 'pushes', columns: { device: { ...ID_ROW, device: 'kept', kept: WITH_PUSH } } },
  push_exception: {
    by: 'pushes',
    columns: { device: { holds: 'id', user: 'emptied', device: 'kept', kept: WITH_PUSH } },
  },
  badge_lease: {
    by: 'pushes',
    columns: { devices: { ...LEASED, holds: 'ids' }, first: LEASED, last: LEASED },
  },
  push: {
    by: 'pushes',
    columns: {
      audience: { holds: 'text', user: 'emptied', device: 'kept', kept: WITH_PUSH },
      notification: { holds: 'text', user: 'kept', device: 'kept', kept: WITH_PUSH },
      ceiling: POSITION,
    },
  },
  idempotency: {
    by: 'nothing',
    columns: { key: { holds: 'text', user: 'kept', device: 'kept', kept: '30 days: the backend has chosen it' } },
  },
  delivery: { by: 'nothing', columns: { progress: POSITION, ahead: { ...POSITION, holds: 'ids' } } },
  registry_day: { by: 'nothing', columns: { ceiling: POSITION } },
} as const satisfies Readonly<Record<string, NamingTable>>

/** Tables that an erasure of a user must clean up itself. */
export type ErasedBy<By extends NamingTable['by']> = {
  [Table in keyof typeof ERASURE]: (typeof ERASURE)[Table]['by'] extends By ? Table : never
}[keyof typeof ERASURE]
