import { integer } from '../../settings/setting-type.ts'
import { dataFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

export const UPGRADE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'upgrade',
    words: [],
    summary: 'replace this program with a signed release and restart the server; go back if it does not get ready',
    changes: { action: 'upgrade', evenWithoutRows: true },
    flags: [
      valueFlag(
        'from',
        'FILE|URL',
        'the executable, with its signature beside it (.minisig), or a folder of a release',
      ),
      valueFlag('key', 'FILE|BASE64', 'minisign public key that releases are signed with (default: the built-in one)'),
      valueFlag('restart', 'COMMAND', 'how the server is restarted (default: by systemd, or as it was started)'),
      valueFlag('wait', 'SECONDS', 'how long the new version has to get ready (default 30)', {
        type: integer(1, 3600),
      }),
      switchFlag('dry-run', 'check the signature and say what would be done'),
      dataFlag,
    ],
    examples: ['bellhop upgrade --from https://downloads.example.com/bellhop/'],
    load: () => import('./upgrade-command.ts'),
  },
]
