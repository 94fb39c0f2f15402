import { dataFlag, jsonFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

/** The key that seals credentials. */
export const KEY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'key rotate',
    words: [],
    summary: 'make a new sealing key and seal every credential with it, while no server runs',
    flags: [
      {
        name: 'to',
        placeholder: 'FILE',
        doc: 'write it to this new file, away from the database; BELLHOP_KEY_FILE then names that',
      },
      {
        name: 'discard',
        placeholder: null,
        doc: 'erase the credentials and webhooks that the old key does not open, or that is lost',
      },
      jsonFlag,
      dataFlag,
    ],
    example: 'bellhop key rotate --to /etc/bellhop/key',
  },
]
