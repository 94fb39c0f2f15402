import { done } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { helpText } from '../help.ts'
import { textColumns } from '../terminal/table-text.ts'

export const run: RunCommand = async ({ words: [topic = ''] }, { terminal }) =>
  done(helpText(topic, textColumns(terminal)))
