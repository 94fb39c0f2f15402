import { integer } from '../../settings/setting-type.ts'
import { readTime } from '../../transfer/time.ts'
import { dataFlag, fileFlag, jsonFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'

const REPLICA_FLAGS: readonly FlagSpec[] = [
  valueFlag('litestream', 'URL', 'instead of FROM: a replica of Litestream 0.3, s3://bucket/path or a folder'),
  valueFlag('at', 'TIME', 'with --litestream, as it was at this time: 2026-11-27T09:04:05Z (default: the latest)', {
    type: { expected: 'a time such as 2026-11-27T09:04:05Z', read: (text) => readTime(text) ?? undefined },
  }),
]

export const BACKUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'backup',
    words: ['TO'],
    summary: 'back up the database, even while the server runs, to a file, a folder or s3://bucket/prefix/',
    changes: { action: 'make backup', evenWithoutRows: true },
    flags: [
      typedFlag(
        'keep',
        integer(1, 10_000),
        'in a folder or bucket, keep only the newest N backups (default: keep all)',
      ),
      jsonFlag,
      dataFlag,
    ],
    examples: ['bellhop backup /var/backups/bellhop/ --keep 7'],
    load: () => import('./backup-command.ts'),
  },
  {
    name: 'backup list',
    words: ['[TO]'],
    summary: 'list backups in a folder or s3://bucket/prefix/, newest first (default: BELLHOP_BACKUP)',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop backup list /var/backups/bellhop/'],
    load: () => import('./backup-list-command.ts'),
  },
  {
    name: 'backup verify',
    words: ['[FROM]'],
    summary:
      'verify a backup, a file or s3://bucket/name.db: whether it is intact, what it contains, and whether the key opens it',
    changes: null,
    flags: [...REPLICA_FLAGS, jsonFlag, dataFlag],
    examples: ['bellhop backup verify /var/backups/bellhop/bellhop-2026-11-21T120000Z.db'],
    load: () => import('./backup-verify-command.ts'),
  },
  {
    name: 'restore',
    words: ['[FROM]'],
    summary: 'restore the database from a backup, keeping a copy of the current one',
    changes: { action: 'restore', evenWithoutRows: true },
    flags: [
      switchFlag('yes', 'restore even over a newer, different or damaged database'),
      switchFlag(
        'resume-pushes',
        'resume unfinished pushes of the backup; devices may get them twice (default: they are cancelled)',
      ),
      ...REPLICA_FLAGS,
      jsonFlag,
      dataFlag,
    ],
    examples: [
      'bellhop restore /var/backups/bellhop/bellhop-2026-11-21T120000Z.db',
      'bellhop restore --litestream s3://my-bucket/bellhop-live',
    ],
    load: () => import('./restore-command.ts'),
  },
  {
    name: 'compact',
    words: [],
    summary: 'shrink the database file; the server must be stopped',
    changes: { action: 'compact', evenWithoutRows: true },
    flags: [jsonFlag, dataFlag],
    examples: ['bellhop compact'],
    load: () => import('./compact-command.ts'),
  },
  {
    name: 'key rotate',
    words: [],
    on: 'data',
    summary: 'create a new sealing key and reseal all credentials with it; the server must be stopped',
    changes: { action: 'rotate sealing key', evenWithoutRows: true },
    flags: [
      fileFlag('to', 'write the key to this new file, outside the data directory; set BELLHOP_KEY_FILE to it'),
      switchFlag(
        'discard',
        'delete credentials and webhooks that the old key cannot open, or all of them if it is lost',
      ),
      jsonFlag,
    ],
    examples: ['bellhop key rotate --to /etc/bellhop/key'],
    load: () => import('./key-rotate-command.ts'),
  },
]
