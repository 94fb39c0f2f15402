import { choice } from '../../settings/setting-type.ts'
import { FORMAT_NAMES } from '../../transfer/record.ts'
import { fileFlag, forceFlag, jsonFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'
import { onesignalId, onesignalOrigin } from './import-options.ts'
import { platformFlag } from '../push/platform-flag.ts'

const FORMAT = choice('auto', ...FORMAT_NAMES)
const CONFLICT = choice('keep', 'replace')

const appFlag = valueFlag('app', 'APP', 'the application, if not given before FILE')

export const TRANSFER_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'export',
    words: ['[APP]', '[FILE]'],
    on: 'data',
    summary: "export an application's devices as JSON Lines",
    changes: { action: 'export', evenWithoutRows: true },
    flags: [appFlag, forceFlag],
    examples: ['bellhop export "Corner Shop" corner-shop.jsonl.gz'],
    load: () => import('./export-command.ts'),
  },
  {
    name: 'import',
    words: ['APP', '[FILE]'],
    on: 'data',
    summary: 'import devices from another Bellhop, another service or a table of your own',
    changes: { action: 'import' },
    flags: [
      appFlag,
      typedFlag('format', FORMAT, 'format of FILE (default auto: detected)'),
      valueFlag(
        'map',
        'FIELD=COLUMN,…',
        'map fields to columns: token, platform, alias, tag, active, lat, lng, timezone, locale, …',
        { list: true },
      ),
      { ...platformFlag, doc: "platform of a CSV file's devices, if no column has it" },
      typedFlag(
        'on-conflict',
        CONFLICT,
        'whether devices that registered here later keep their own data (default) or not',
      ),
      fileFlag('rejects', 'file for rejected rows and reasons (default FILE.rejects.jsonl in this directory)', 'PATH'),
      fileFlag(
        'vapid-key',
        'the VAPID key its browsers subscribed with, which must be the application’s; browsers are skipped without it',
        'PATH',
      ),
      switchFlag('dry-run', 'show what would change, without changing it'),
      valueFlag(
        'from-onesignal',
        'ID',
        'first export the app with this ID from OneSignal into FILE (default onesignal-ID.csv.gz)',
        { type: onesignalId },
      ),
      fileFlag('key-file', "file with that app's API key", 'PATH'),
      valueFlag('onesignal-url', 'URL', 'OneSignal’s API (default https://api.onesignal.com)', {
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
