import { dataFlag, jsonFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

/** The file of the database: copies of it, and its size. */
export const BACKUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'backup',
    words: ['TO'],
    summary: 'copy the database, while the service runs, to a file, a folder or s3://bucket/prefix/',
    flags: [
      {
        name: 'keep',
        placeholder: 'N',
        doc: 'of a folder or bucket: erase all backups but the newest N (default: erase none)',
      },
      jsonFlag,
      dataFlag,
    ],
    example: 'bellhop backup /var/backups/bellhop/ --keep 7',
  },
  {
    name: 'backup list',
    words: ['[TO]'],
    summary: 'list the backups in a folder or s3://bucket/prefix/, newest first (default: where BELLHOP_BACKUP says)',
    flags: [jsonFlag],
    example: 'bellhop backup list /var/backups/bellhop/',
  },
  {
    name: 'backup verify',
    words: ['FROM'],
    summary:
      'check a backup, a file or s3://bucket/name.db: whether it is whole, what is in it, whether the key opens it',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop backup verify /var/backups/bellhop/bellhop-2026-11-21T120000Z.db',
  },
  {
    name: 'restore',
    words: ['FROM'],
    summary: 'make a backup the database again, and keep the one that is there',
    flags: [
      { name: 'yes', placeholder: null, doc: 'yes, also over a database that is newer, another one, or damaged' },
      {
        name: 'resume-pushes',
        placeholder: null,
        doc: 'send what was not sent yet when the backup was made; phones may get it twice (default: it is cancelled)',
      },
      jsonFlag,
      dataFlag,
    ],
    example: 'bellhop restore /var/backups/bellhop/bellhop-2026-11-21T120000Z.db',
  },
  {
    name: 'compact',
    words: [],
    summary: 'make the file of the database as small as what is in it, while no server runs',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop compact',
  },
]
