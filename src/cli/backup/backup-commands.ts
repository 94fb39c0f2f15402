import { integer, path } from '../../settings/setting-type.ts'
import { dataFlag, jsonFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

export const BACKUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'backup',
    words: ['TO'],
    summary: 'copy the database, while the service runs, to a file, a folder or s3://bucket/prefix/',
    changes: { action: 'make backup', evenWithoutRows: true },
    flags: [
      valueFlag('keep', 'N', 'of a folder or bucket: erase all backups but the newest N (default: erase none)', {
        type: integer(1, 10_000),
      }),
      jsonFlag,
      dataFlag,
    ],
    examples: ['bellhop backup /var/backups/bellhop/ --keep 7'],
    load: () => import('./backup-command.ts'),
  },
  {
    name: 'backup list',
    words: ['[TO]'],
    summary: 'list the backups in a folder or s3://bucket/prefix/, newest first (default: where BELLHOP_BACKUP says)',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop backup list /var/backups/bellhop/'],
    load: () => import('./backup-list-command.ts'),
  },
  {
    name: 'backup verify',
    words: ['FROM'],
    summary:
      'check a backup, a file or s3://bucket/name.db: whether it is whole, what is in it, whether the key opens it',
    changes: null,
    flags: [jsonFlag, dataFlag],
    examples: ['bellhop backup verify /var/backups/bellhop/bellhop-2026-11-21T120000Z.db'],
    load: () => import('./backup-verify-command.ts'),
  },
  {
    name: 'restore',
    words: ['FROM'],
    summary: 'make a backup the database again, and keep the one that is there',
    changes: { action: 'restore', evenWithoutRows: true },
    flags: [
      switchFlag('yes', 'yes, also over a database that is newer, another one, or damaged'),
      switchFlag(
        'resume-pushes',
        'send what was not sent yet when the backup was made; phones may get it twice (default: it is cancelled)',
      ),
      jsonFlag,
      dataFlag,
    ],
    examples: ['bellhop restore /var/backups/bellhop/bellhop-2026-11-21T120000Z.db'],
    load: () => import('./restore-command.ts'),
  },
  {
    name: 'compact',
    words: [],
    summary: 'make the file of the database as small as what is in it, while no server runs',
    changes: { action: 'compact', evenWithoutRows: true },
    flags: [jsonFlag, dataFlag],
    examples: ['bellhop compact'],
    load: () => import('./compact-command.ts'),
  },
  {
    name: 'key rotate',
    words: [],
    on: 'data',
    summary: 'make a new sealing key and seal every credential with it, while no server runs',
    changes: { action: 'rotate sealing key', evenWithoutRows: true },
    flags: [
      valueFlag('to', 'FILE', 'write it to this new file, away from the database; BELLHOP_KEY_FILE then names that', {
        type: path,
      }),
      switchFlag('discard', 'erase the credentials and webhooks that the old key does not open, or that is lost'),
      jsonFlag,
    ],
    examples: ['bellhop key rotate --to /etc/bellhop/key'],
    load: () => import('./key-rotate-command.ts'),
  },
]
