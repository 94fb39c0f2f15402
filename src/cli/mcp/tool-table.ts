export interface ToolRow {
  readonly name: string
  readonly command: string
  /** Default: the summary of the command. */
  readonly summary?: string
  /** Added to the summary. */
  readonly advice: string
  readonly flags: readonly string[]
  readonly fixed: readonly string[]
  /** How to get the rest of a cut output. */
  readonly more: string
  /** Left out: it only reads from Bellhop. */
  readonly sends?: true
  /** Calls other services. */
  readonly asksOthers?: true
}

const TARGET = ['all', 'tag', 'alias', 'user', 'token', 'where', 'except-tag', 'platform']

const CONTENT = ['title', 'fields', 'send-at']

const NARROWER = 'Ask for fewer with limit, and for the next ones with after.'

/* No --full or --json, which show full tokens, and no flag that reads or writes a file. */
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
