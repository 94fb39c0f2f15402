import { SIGNATURE_NAMES } from '../../hook/sender-proof.ts'
import { choice, path } from '../../settings/setting-type.ts'
import { jsonFlag, jsonLinesFlag, switchFlag, valueFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

const SIGNATURE = choice(...SIGNATURE_NAMES)

export const HOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'hook create',
    words: ['APP', 'NAME'],
    on: 'application',
    summary: 'turn events of another service into pushes by a template, or change how',
    changes: { action: 'set hook' },
    flags: [
      valueFlag('template', 'FILE', 'the template, JSON; - reads standard input', { type: path }),
      valueFlag('signature', SIGNATURE.placeholder, 'how the service signs its calls (default: a key in the path)', {
        type: SIGNATURE,
      }),
      valueFlag('secret-file', 'FILE', 'file with the secret that the service signs with', { type: path }),
      switchFlag('new-key', 'replace the key of the path'),
      jsonFlag,
    ],
    examples: [
      'bellhop hook create "Corner Shop" orders --template orders.json',
      'bellhop hook create "Corner Shop" paid --template paid.json --signature stripe --secret-file stripe.secret',
    ],
    load: () => import('./hook-create-command.ts'),
  },
  {
    name: 'hook list',
    words: ['[APP]'],
    on: 'data',
    summary: 'list hooks',
    changes: null,
    flags: [jsonLinesFlag('hook')],
    examples: ['bellhop hook list'],
    load: async () => (await import('./hook-command.ts')).list,
  },
  {
    name: 'hook show',
    words: ['NAME'],
    on: 'data',
    summary: "show a hook's template and what became of its last calls",
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop hook show orders'],
    load: async () => (await import('./hook-command.ts')).show,
  },
  {
    name: 'hook preview',
    words: ['NAME'],
    on: 'data',
    summary: 'show the push that an event would become, and whom it would reach',
    changes: null,
    flags: [
      valueFlag('example', 'FILE', 'the body of a call, JSON; - reads standard input', { type: path }),
      valueFlag('header', 'NAME: VALUE', 'a header of the call', { list: true }),
      valueFlag('template', 'FILE', "a template to try in place of the hook's", { type: path }),
      jsonFlag,
    ],
    examples: ['bellhop hook preview orders --example event.json'],
    load: () => import('./hook-preview-command.ts'),
  },
  {
    name: 'hook delete',
    words: ['NAME'],
    on: 'data',
    summary: 'delete a hook: its calls are refused',
    changes: { action: 'delete hook' },
    flags: [switchFlag('yes', 'yes, delete it')],
    examples: ['bellhop hook delete orders --yes'],
    load: async () => (await import('./hook-command.ts')).erase,
  },
]
