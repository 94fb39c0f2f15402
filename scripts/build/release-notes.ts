// Release notes from commit subjects (https://www.conventionalcommits.org).
import { $ } from 'bun'
import type { Commit } from './commit.ts'

interface Change {
  readonly subject: string
  readonly body: string
}

const GROUPS: Readonly<Record<string, string>> = {
  feat: 'New',
  fix: 'Fixed',
  perf: 'Faster',
  docs: 'Documentation',
  refactor: 'Rewritten, with the same behaviour',
  test: 'Tests',
}

const REST = 'Other changes'

/** Commits since the last release before `version`, newest first; `null`: no earlier tag like v1.2.3. */
export async function changesBefore(
  version: string,
): Promise<{ readonly tag: string; readonly changes: readonly Change[] } | null> {
  const match = ['--match=v[0-9]*.[0-9]*.[0-9]*', `--exclude=v${version}`]
  const tag = (await $`git describe --tags --abbrev=0 ${match}`.nothrow().quiet()).text().trim()
  if (tag === '') return null
  const log = await $`git log --no-merges --format=%s%n%b%x00 ${tag}..HEAD`.quiet().text()
  const entries = log.split('\0').map((entry) => entry.trim())
  const changes = entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [subject = '', ...body] = entry.split('\n')
      return { subject, body: body.join('\n') }
    })
  return { tag, changes }
}

/** Markdown. `changelog`: the manual's page, whose newest section replaces thousands of commits. */
export function releaseNotes(
  version: string,
  commit: Commit,
  since: { readonly tag: string; readonly changes: readonly Change[] } | null,
  changelog: string,
): string {
  const title = `# Bellhop ${version}\n\nCommit ${commit.hash} of ${commit.date}.`
  if (since === null) {
    return `${title} No earlier release is tagged: this is the newest section of the changelog.\n\n${newestSection(changelog)}\n`
  }
  return [`${title} Changes since ${since.tag}:`, ...sections(since.changes)].join('\n\n') + '\n'
}

function sections(changes: readonly Change[]): readonly string[] {
  const lines = changes.map(lineOf)
  const titles = ['Breaking changes', ...Object.values(GROUPS), REST]
  const grouped = Map.groupBy(lines, ({ group }) => group)
  return titles.flatMap((title) => {
    const group = grouped.get(title)
    return group === undefined ? [] : [`## ${title}\n\n${group.map(({ line }) => `- ${line}`).join('\n')}`]
  })
}

function lineOf({ subject, body }: Change) {
  const [, type = '', scope, mark, text = subject] = /^(\w+)(?:\(([^)]+)\))?(!)?: (.+)$/.exec(subject) ?? []
  const breaking = /^BREAKING[ -]CHANGE: ([\s\S]+?)(?:\n\n|$(?![\s\S]))/m.exec(body)?.[1]?.replaceAll('\n', ' ')
  const line = scope === undefined ? text : `**${scope}**: ${text}`
  if (mark === undefined && breaking === undefined) return { group: GROUPS[type] ?? REST, line }
  return { group: 'Breaking changes', line: breaking === undefined ? line : `${line}. ${breaking}` }
}

/** Strips links, since the notes are not beside the manual's pages. */
function newestSection(changelog: string): string {
  const [, section = ''] = changelog.split(/^(?=## )/m)
  return section.trim().replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1')
}
