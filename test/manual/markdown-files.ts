import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

export interface MarkdownFile {
  /** From the repository's root. */
  readonly path: string
  readonly text: string
}

/** READMEs, proofs and the manual. */
export const MARKDOWN_FILES: readonly MarkdownFile[] = await Promise.all(
  [
    'README.md',
    'test/README.md',
    'test/proofs.md',
    ...[...new Bun.Glob('src/manual/*.md').scanSync(root)].toSorted(),
  ].map(async (path) => ({
    path,
    text: await Bun.file(join(root, path)).text(),
  })),
)

/** `file`: such as `README.md` or `src/manual/server.md`. */
export function markdown(path: string): string {
  const file = MARKDOWN_FILES.find((each) => each.path === path)
  if (file === undefined) throw new Error(`there is no ${path}`)
  return file.text
}

/** Link targets in order, ignoring code. */
export function linksIn(text: string): readonly string[] {
  const links: string[] = []
  const note = (_: string, { href, src }: { readonly href?: string; readonly src?: string }) =>
    void links.push(href ?? src ?? '')
  Bun.markdown.render(text, { link: note, image: note })
  return links
}

/** Anchors of headings, as on GitHub and in Bun's HTML. */
export function anchorsOf(text: string): readonly string[] {
  const html = Bun.markdown.html(text, { headings: { ids: true } })
  return [...html.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => `#${id}`)
}

/** Arguments of each Bellhop command in shell blocks, split as by a shell. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.replaceAll('\\\n', ' '))
  return blocks.flatMap((block) => block.split('\n')).flatMap(commandsOf)
}

/** Inline code, such as `--json` or `bellhop health`, without line ends. */
export function codeIn(text: string): readonly string[] {
  const found: string[] = []
  Bun.markdown.render(text, { codespan: (code) => void found.push(code.replaceAll('\n', ' ')) })
  return found
}

/** Commands in inline code. */
export function commandsInSentences(text: string): readonly (readonly string[])[] {
  return codeIn(text).flatMap(commandsOf)
}

const OPERATOR = /^(?:\$\(|<\(|>>|&&|[|&;()<>])$/

/** Words that may precede a command, such as `sudo`; in a container named bellhop, the program follows its name. */
const BEFORE_COMMAND = /^(?:sudo|until|bellhop|\w+=.*)$/

function commandsOf(line: string): readonly (readonly string[])[] {
  const words = wordsOf(line)
  return words.flatMap((word, at) => {
    const before = words[at - 1]
    const first = before === undefined || OPERATOR.test(before) || BEFORE_COMMAND.test(before)
    if (word !== 'bellhop' || !first) return []
    const after = words.slice(at + 1)
    const end = after.findIndex((each) => OPERATOR.test(each))
    return [end === -1 ? after : after.slice(0, end)]
  })
}

/** Words and operators; `"$(…)"` counts as its content. */
function wordsOf(line: string): readonly string[] {
  const open = line.replaceAll(/"[^"$]*(?=\$\()|(?<=\))"/g, ' ')
  const parts = open.match(/(?:^|\s)#.*$|\$\(|<\(|>>|&&|[|&;()<>]|(?:"[^"]*"|'[^']*'|[^\s"'|&;()<>])+/g) ?? []
  return parts.filter((part) => !/^\s*#/.test(part)).map((part) => part.replaceAll(/["']/g, ''))
}
