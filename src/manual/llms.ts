import { PAGES } from './pages.ts'
import type { MissingPage } from './pages.ts'

/** The page that each section of the manual begins with. */
const SECTIONS: Readonly<Record<string, string>> = {
  simulator: 'Start',
  push: 'Send',
  api: 'API',
  server: 'Run',
  moving: 'Move',
  guarantees: 'Know',
}

/** The pages for a program that reads them: `/llms.txt`, in the format of llmstxt.org. */
export function llmsText(): string {
  const pages = PAGES.flatMap(({ topic, title, summary }) => {
    const section = SECTIONS[topic]
    const link = `- [${title}](/manual/${topic}.md): ${summary}`
    return section === undefined ? [link] : ['', `## ${section}`, '', link]
  })
  return [
    '# Bellhop',
    '',
    '> Self-hosted push notifications for mobile apps and browsers: this is the manual, a Markdown page for each topic. Every endpoint with its fields is in [openapi.json](/openapi.json).',
    ...pages,
    '',
  ].join('\n')
}

/** Instead of a page in Markdown. What was asked for is code, since it is a stranger's text. */
export function missingMarkdown({ topic, near }: MissingPage): string {
  const hint = near === null ? '' : ` Did you mean [${near}](/manual/${near}.md)?`
  return `\`${topic.replaceAll(/[^\w-]/g, '?')}\` is not a page in the manual.${hint} [llms.txt](/llms.txt) lists all pages.\n`
}
