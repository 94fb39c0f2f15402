/** A tool runs a command, with those of its words and flags that are named here. */
export interface ToolRow {
  readonly name: string
  readonly command: string
  /** Default: the summary of the command. */
  readonly summary?: string
  /** What the caller should know besides. */
  readonly advice: string
  readonly flags: readonly string[]
  /** Always given. */
  readonly fixed: readonly string[]
  /** How to get what an output that was cut has left out. */
  readonly more: string
  /** Default: it only reads what Bellhop has stored. */
  readonly sends?: true
  /** It asks others than Bellhop. */
  readonly asksOthers?: true
}

const TARGET = ['all', 'tag', 'alias', 'user', 'token', 'where', 'except-tag', 'platform']

const CONTENT = ['title', 'fields', 'send-at']

const NARROWER = 'Ask for fewer with limit, and for the next ones with after.'

/* None has --full or --json, which show tokens in full, or a flag that reads or writes a file. */
export const TOOL_TABLE: readonly ToolRow[] = [
  {
    name: 'doctor',
    command: 'doctor',
    advice: 'Each line is one check; without app, all applications are checked.',
    flags: ['offline'],
    fixed: [],
    more: 'Name one app.',
    asksOthers: true,
  },
  {
    name: 'devices',
    command: 'devices',
    advice: 'Tokens are shortened; the part shown is accepted as a token.',
    flags: ['tag', 'alias', 'user', 'token', 'platform', 'state', 'limit', 'after'],
    fixed: [],
    more: NARROWER,
  },
  {
    name: 'preview',
    command: 'push',
    summary: 'show whom a push would reach and what each gateway would get, without sending it; a target is required',
    advice: 'Takes what send takes.',
    flags: [...TARGET, ...CONTENT],
    fixed: ['dry-run'],
    more: 'Preview one platform.',
  },
  {
    name: 'explain',
    command: 'explain',
    advice: 'The first line is the verdict.',
    flags: ['platform'],
    fixed: [],
    more: 'There is no more to get.',
  },
  {
    name: 'pushes',
    command: 'pushes',
    advice: 'Shows how far a push is.',
    flags: ['scheduled', 'limit', 'after'],
    fixed: [],
    more: NARROWER,
  },
  {
    name: 'send',
    command: 'push',
    summary: 'send a push to real people, unless the application is on the simulator; a target is required',
    advice:
      'It cannot be taken back. Preview first, and ask the person you work for. Returns at once with the ID of the push: follow it with pushes.',
    flags: [...TARGET, ...CONTENT, 'confirm'],
    fixed: ['no-wait'],
    more: 'There is no more to get.',
    sends: true,
  },
]
