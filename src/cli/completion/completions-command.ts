import { describeSettings } from '../../settings/settings-text.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { bashCompletion } from './bash-completion.ts'
import { completionTree } from './completion-tree.ts'
import type { CompletionTree } from './completion-tree.ts'
import { fishCompletion } from './fish-completion.ts'
import { zshCompletion } from './zsh-completion.ts'

const SHELLS: Readonly<Record<string, (tree: CompletionTree) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** Applications are not completed: to find them, Tab would open the database and perhaps upgrade it. */
export const run: RunCommand = async ({ words: [shell = ''] }) => {
  const script = SHELLS[shell]
  if (script === undefined) return problems(`"${shell}" is not one of ${Object.keys(SHELLS).join(', ')}.`)
  return done(script(await completionTree(COMMANDS, describeSettings())))
}
