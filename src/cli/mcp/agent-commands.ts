import { dataFlags, switchFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'skill',
    words: [],
    summary: 'print a skill for a coding agent: add push to an app, and prove that it arrives',
    changes: null,
    flags: [],
    examples: ['bellhop skill'],
    load: () => import('./skill-command.ts'),
  },
  {
    name: 'mcp',
    words: ['[APP]'],
    summary:
      'offer doctor, devices, preview, explain and pushes to a coding agent, over MCP on standard input and output',
    changes: null,
    flags: [switchFlag('allow-send', 'also offer send, which pushes to real people'), ...dataFlags],
    examples: ['bellhop mcp "Corner Shop"'],
    load: () => import('./mcp-command.ts'),
  },
]
