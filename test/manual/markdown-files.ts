import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

export interface MarkdownFile {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** The READMEs, what the proofs found, and every file of the manual. */
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

/** The text of a file: `README.md`, `src/manual/server.md`. */
export function markdown(path: string): string {
  const file = MARKDOWN_FILES.find((each) => each.path === path)
  if (file === undefined) throw new Error(`there is no ${path}`)
  return file.text
}

/** What the links of a text lead to, in order; those in code are none. */
export function linksIn(text: string): readonly string[] {
  const links: string[] = []
  const note = (_: string, { href, src }: { readonly href?: string; readonly src?: string }) =>
    void links.push(href ?? src ?? '')
  Bun.markdown.render(text, { link: note, image: note })
  return links
}

/** The anchors that the headings of a text have on GitHub and in the HTML that Bun makes. */
export function anchorsOf(text: string): readonly string[] {
  const html = Bun.markdown.html(text, { headings: { ids: true } })
  return [...html.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => `#${id}`)
}

/** Each command line of Bellhop in the text's blocks for a shell, without the program, as a shell splits it. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block.replaceAll('\\\n', ' '))
  return blocks.flatMap((block) => block.split('\n')).flatMap(commandsOf)
}

/** What stands in a sentence as code, such as `--json` or `bellhop health`, without line ends. */
export function codeIn(text: string): readonly string[] {
  const found: string[] = []
  Bun.markdown.render(text, { codespan: (code) => void found.push(code.replaceAll('\n', ' ')) })
  return found
}

/** The same of such code. */
export function commandsInSentences(text: string): readonly (readonly string[])[] {
  return codeIn(text).flatMap(commandsOf)
}

const OPERATOR = /^(?:\$\(|<\(|>>|&&|[|&;()<>])$/

/** `sudo` and the like hand on what follows them; in a container of the name, the program follows its name. */
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

/** Words and operators; `"$(…)"` counts as what stands in it. */
function wordsOf(line: string): readonly string[] {
  const open = line.replaceAll(/"[^"$]*(?=\$\()|(?<=\))"/g, ' ')
  const parts = open.match(/(?:^|\s)#.*$|\$\(|<\(|>>|&&|[|&;()<>]|(?:"[^"]*"|'[^']*'|[^\s"'|&;()<>])+/g) ?? []
  return parts.filter((part) => !/^\s*#/.test(part)).map((part) => part.replaceAll(/["']/g, ''))
}
