import { SIGNATURE_NAMES } from '../../hook/sender-proof.ts'
import { choice } from '../../settings/setting-type.ts'
import { fileFlag, jsonFlag, jsonLinesFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
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
      fileFlag('template', 'the template, JSON; - reads standard input'),
      typedFlag('signature', SIGNATURE, 'how the service signs its calls (default: a key in the path)'),
      fileFlag('secret-file', 'file with the secret that the service signs with'),
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
      fileFlag('example', 'the body of a call, JSON; - reads standard input'),
      valueFlag('header', 'NAME: VALUE', 'a header of the call', { list: true }),
      fileFlag('template', "a template to try in place of the hook's"),
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
