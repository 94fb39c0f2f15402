// Prints every text that people read, by kind, with its place.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript-classic'

/** Where a text is read. `message`: an error, a result or a description of the API. */
export const KINDS = ['dashboard', 'command', 'log', 'message', 'manual'] as const

export type Kind = (typeof KINDS)[number]

export interface ShownText {
  readonly kind: Kind
  /** File and line from the repository's root: `src/log.ts:12`. */
  readonly place: string
  /** One line; `…` for run-time values. */
  readonly text: string
}

const HELP = `Usage: bun run strings [--kind KIND]… [--find TEXT]

  --kind KIND   ${KINDS.join(', ')} (default: all)
  --find TEXT   only texts that contain this

Prints what people read, one text a line, after its place.`

const root = join(import.meta.dir, '..')

/** Attributes and properties whose text is shown, even a single word. */
const SHOWN_NAMES = /^(title|label|hint|placeholder|summary|description|what|purpose|text|says|empty|aria-label|alt)$/

/** Read by programs: SQL, HTML, paths, headers, patterns, selectors. */
const NOT_FOR_PEOPLE =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|ALTER|DROP|ATTACH|BEGIN|EXPLAIN|VALUES|INTO|FROM|WHERE|AND|OR|SET|JOIN|ORDER|LIMIT|ON CONFLICT)\b|^\s*[<.#(/]|[{}]\s*$|^[\w-]+(\.|\/)[\w./…-]+$/

/** Grouped by kind, sorted. */
export async function shownTexts(): Promise<readonly ShownText[]> {
  const found: ShownText[] = []
  for await (const path of new Bun.Glob('src/**/*.{ts,tsx}').scan(root)) {
    if (!path.endsWith('.d.ts')) found.push(...textsIn(path, await Bun.file(join(root, path)).text()))
  }
  const pages = await Array.fromAsync(new Bun.Glob('src/manual/*.md').scan(root))
  for (const path of ['README.md', ...pages]) {
    found.push(...paragraphsIn(path, await Bun.file(join(root, path)).text()))
  }
  const order = ({ kind, text, place }: ShownText) => `${KINDS.indexOf(kind)} ${text.toLowerCase()} ${place}`
  return found.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

function textsIn(path: string, source: string): ShownText[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const found: ShownText[] = []

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    const text = textOf(node)
    if (text !== null && isShown(node, text)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      found.push({ kind: kindOf(path, node), place: `${path}:${line + 1}`, text })
    }
    node.forEachChild(visit)
  }

  visit(file)
  return found
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return oneLine(node.text)
  if (ts.isJsxText(node)) return oneLine(node.text) || null
  if (!ts.isTemplateExpression(node)) return null
  return oneLine(node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(''))
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function isShown(node: ts.Node, text: string): boolean {
  if (!/[a-z]/i.test(text)) return false
  if (ts.isJsxText(node)) return true
  const { parent } = node
  const name =
    ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText().replaceAll("'", '') : ''
  if (SHOWN_NAMES.test(name)) return true
  if (ts.isJsxAttribute(parent) || NOT_FOR_PEOPLE.test(text)) return false
  // Two words, one of them in lower case: a sentence, or part of one.
  return /[A-Za-z…,;:'")]+ [("']?[A-Za-z…]/.test(text) && /\b[a-z]{2,}\b/.test(text)
}

function kindOf(path: string, node: ts.Node): Kind {
  if (path.startsWith('src/dashboard/')) return 'dashboard'
  const { parent } = node
  if (ts.isCallExpression(parent) && /\blog\.(info|warn|error|debug)$/.test(parent.expression.getText())) return 'log'
  return path.startsWith('src/cli/') ? 'command' : 'message'
}

/** Paragraphs, rows and headings, without code. */
function paragraphsIn(path: string, markdown: string): ShownText[] {
  const found: ShownText[] = []
  let isCode = false
  let from: number | null = null
  let lines: string[] = []
  const end = (): void => {
    if (from !== null) found.push({ kind: 'manual', place: `${path}:${from}`, text: oneLine(lines.join(' ')) })
    from = null
    lines = []
  }
  for (const [nth, line] of markdown.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode || /^\s*```|^\s*$|^\|[\s|:-]+\|$/.test(line)) end()
    else {
      if (/^(\||#|\s*[-*] )/.test(line)) end()
      from ??= nth + 1
      lines.push(line)
    }
  }
  end()
  return found
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kind: { type: 'string', multiple: true, default: [...KINDS] },
      find: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) console.log(HELP)
  else
    for (const { kind, place, text } of await shownTexts())
      if (values.kind.includes(kind) && text.includes(values.find)) console.log(`${kind}\t${place}\t${text}`)
}
