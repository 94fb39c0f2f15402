import { choice, path } from '../../settings/setting-type.ts'
import { FORMAT_NAMES } from '../../transfer/record.ts'
import { dataFlag, jsonFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'
import { onesignalId, onesignalOrigin } from './import-options.ts'
import { platformFlag } from '../push/platform-flag.ts'

const FORMAT = choice('auto', ...FORMAT_NAMES)
const CONFLICT = choice('keep', 'replace')

const appFlag: FlagSpec = { name: 'app', placeholder: 'APP', doc: 'the application, if it does not stand before FILE' }

/** Devices from other services, and to them. */
export const TRANSFER_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'export',
    words: ['[APP]', '[FILE]'],
    summary: 'write all devices of an application as JSON Lines',
    changes: { action: 'export', evenWithoutRows: true },
    flags: [appFlag, dataFlag],
    examples: ['bellhop export "Corner Shop" corner-shop.jsonl.gz'],
    load: () => import('./export-command.ts'),
  },
  {
    name: 'import',
    words: ['APP', '[FILE]'],
    summary: 'bring devices in: an export of Bellhop, OneSignal, Parse, Firebase or SNS, or a CSV',
    changes: { action: 'import' },
    flags: [
      appFlag,
      {
        name: 'format',
        placeholder: FORMAT.placeholder,
        type: FORMAT,
        doc: 'what FILE is (default auto: found out, and said)',
      },
      {
        name: 'map',
        placeholder: 'FIELD=COLUMN,…',
        doc: 'which column holds what: token, platform, alias, tag, active, lat, lng, timezone, locale, …',
        list: true,
      },
      { ...platformFlag, doc: 'of the devices of a CSV that does not say it' },
      {
        name: 'on-conflict',
        placeholder: CONFLICT.placeholder,
        type: CONFLICT,
        doc: 'who has registered here since the list was made: keeps what it said (default), or not',
      },
      {
        name: 'rejects',
        placeholder: 'PATH',
        type: path,
        doc: 'rows not imported, and why (default FILE.rejects.jsonl, here)',
      },
      {
        name: 'vapid-key',
        placeholder: 'PATH',
        type: path,
        doc: 'the VAPID key that its browsers are subscribed with, which must be the application’s: without it they stay out',
      },
      { name: 'dry-run', placeholder: null, doc: 'change nothing, and say what would be' },
      {
        name: 'from-onesignal',
        placeholder: 'ID',
        type: onesignalId,
        doc: 'have OneSignal export the app with this id, and fetch it into FILE first (default onesignal-ID.csv.gz)',
      },
      { name: 'key-file', placeholder: 'PATH', type: path, doc: 'the file with the API key of that app' },
      {
        name: 'onesignal-url',
        placeholder: 'URL',
        type: onesignalOrigin,
        doc: 'where OneSignal’s API is (default https://api.onesignal.com)',
      },
      jsonFlag,
      dataFlag,
    ],
    examples: [
      'bellhop import "Corner Shop" players.csv.gz --dry-run',
      'bellhop import "Corner Shop" --from-onesignal 4f1a0e2c-6d2b-4d8e-9a41-1f6f5f0c9b7e --key-file onesignal.key',
    ],
    load: () => import('./import-command.ts'),
  },
]
