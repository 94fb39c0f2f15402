import { PAGES } from './pages.ts'
import type { MissingPage } from './pages.ts'

/** First page of each section. */
const SECTIONS: Readonly<Record<string, string>> = {
  simulator: 'Start',
  push: 'Send',
  api: 'API',
  server: 'Run',
  moving: 'Move',
  guarantees: 'Know',
}

/** `/llms.txt`, in the format of llmstxt.org. */
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

/** A page in Markdown for an unknown topic, which is quoted as code: it is untrusted. */
export function missingMarkdown({ topic, near }: MissingPage): string {
  const hint = near === null ? '' : ` Did you mean [${near}](/manual/${near}.md)?`
  return `\`${topic.replaceAll(/[^\w-]/g, '?')}\` is not a page in the manual.${hint} [llms.txt](/llms.txt) lists all pages.\n`
}
