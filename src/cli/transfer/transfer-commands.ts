import { choice, path } from '../../settings/setting-type.ts'
import { FORMAT_NAMES } from '../../transfer/record.ts'
import { jsonFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { onesignalId, onesignalOrigin } from './import-options.ts'
import { platformFlag } from '../push/platform-flag.ts'

const FORMAT = choice('auto', ...FORMAT_NAMES)
const CONFLICT = choice('keep', 'replace')

const appFlag = valueFlag('app', 'APP', 'the application, if it does not stand before FILE')

export const TRANSFER_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'export',
    words: ['[APP]', '[FILE]'],
    on: 'data',
    summary: 'write all devices of an application as JSON Lines',
    changes: { action: 'export', evenWithoutRows: true },
    flags: [appFlag],
    examples: ['bellhop export "Corner Shop" corner-shop.jsonl.gz'],
    load: () => import('./export-command.ts'),
  },
  {
    name: 'import',
    words: ['APP', '[FILE]'],
    on: 'data',
    summary: 'bring devices in: an export of Bellhop, OneSignal, Parse, Firebase or SNS, or a CSV',
    changes: { action: 'import' },
    flags: [
      appFlag,
      valueFlag('format', FORMAT.placeholder, 'what FILE is (default auto: found out, and said)', { type: FORMAT }),
      valueFlag(
        'map',
        'FIELD=COLUMN,…',
        'which column holds what: token, platform, alias, tag, active, lat, lng, timezone, locale, …',
        { list: true },
      ),
      { ...platformFlag, doc: 'of the devices of a CSV that does not say it' },
      valueFlag(
        'on-conflict',
        CONFLICT.placeholder,
        'who has registered here since the list was made: keeps what it said (default), or not',
        { type: CONFLICT },
      ),
      valueFlag('rejects', 'PATH', 'rows not imported, and why (default FILE.rejects.jsonl, here)', { type: path }),
      valueFlag(
        'vapid-key',
        'PATH',
        'the VAPID key that its browsers are subscribed with, which must be the application’s: without it they stay out',
        { type: path },
      ),
      switchFlag('dry-run', 'change nothing, and say what would be'),
      valueFlag(
        'from-onesignal',
        'ID',
        'have OneSignal export the app with this id, and fetch it into FILE first (default onesignal-ID.csv.gz)',
        { type: onesignalId },
      ),
      valueFlag('key-file', 'PATH', 'the file with the API key of that app', { type: path }),
      valueFlag('onesignal-url', 'URL', 'where OneSignal’s API is (default https://api.onesignal.com)', {
        type: onesignalOrigin,
      }),
      jsonFlag,
    ],
    examples: [
      'bellhop import "Corner Shop" players.csv.gz --dry-run',
      'bellhop import "Corner Shop" --from-onesignal 4f1a0e2c-6d2b-4d8e-9a41-1f6f5f0c9b7e --key-file onesignal.key',
    ],
    load: () => import('./import-command.ts'),
  },
]
