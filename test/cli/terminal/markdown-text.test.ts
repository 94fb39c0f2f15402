import { describe, expect, test } from 'bun:test'
import { markdownText } from '../../../src/cli/terminal/markdown-text.ts'
import { PAGES } from '../../../src/manual/pages.ts'

const plain = {
  paint: (_: string, text: string) => text,
  legible: (text: string) => text,
  leadsTo: (href: string) => href,
}

function shown(markdown: string, columns = 60): string {
  return markdownText(markdown, { ...plain, columns })
}

describe('Markdown for a terminal', () => {
  test('has headings at the margin, text beside it, and code further in, which is never broken', () => {
    const line = `bellhop push shop "${'long '.repeat(20)}" --all`
    expect(
      shown(`# Title\n\nA sentence\nwith \`code\` and **weight**.\n\n\`\`\`sh\n${line}\n\n  --json\n\`\`\`\n`),
    ).toBe(`Title\n\n  A sentence with \`code\` and weight.\n\n    ${line}\n\n      --json\n`)
  })

  test('tells where a link leads, once', () => {
    expect(shown('See [the page](server.md) and <https://bun.sh>.')).toBe(
      '  See the page (server.md) and https://bun.sh.\n',
    )
  })

  test('hangs what goes on under its item', () => {
    expect(shown('- one two three four five\n- six\n\n3. seven\n4. eight\n', 20)).toBe(
      '  - one two three\n    four five\n  - six\n\n  3. seven\n  4. eight\n',
    )
  })

  test('aligns a table, and wraps its cells where it would be too wide', () => {
    const table = '| What | How long |\n|:--|--:|\n| `a` | 5 s |\n| a sentence of some words | 10 s |\n'
    expect(shown(table)).toBe(
      [
        '  What                      How long',
        '  ------------------------  --------',
        '  `a`                            5 s',
        '  a sentence of some words      10 s\n',
      ].join('\n'),
    )
    expect(shown(table, 30)).toBe(
      [
        '  What                    How',
        '                         long',
        '  -------------------  ------',
        '  `a`                     5 s',
        '  a sentence of some     10 s',
        '  words\n',
      ].join('\n'),
    )
  })

  test('makes a list of a table whose words alone are too wide', () => {
    const table =
      '| Flag | Default | |\n|--|--|--|\n| `--a` | `https://one.example` | |\n| `--b` | | `https://two.example` |\n'
    expect(shown(table, 40)).toBe(
      '  Flag: `--a`\n    Default: `https://one.example`\n\n  Flag: `--b`\n    `https://two.example`\n',
    )
  })

  test.each(PAGES.map(({ topic, text }) => [topic, text]))('keeps every word of %s within the columns', (_, text) => {
    for (const columns of [40, 80, 110]) {
      const out = markdownText(text, { ...plain, columns, leadsTo: () => null })
      const blocks = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)]
      const code = new Set(blocks.flatMap(([, block = '']) => block.split('\n')))
      const wide = out.split('\n').filter((line) => Bun.stringWidth(line) > columns && line.trim().includes(' '))
      expect(wide.filter((line) => !code.has(line.slice(4)) && !/^\s*(?:- )?\S*$/.test(line))).toEqual([])
      const words = new Set(out.split(/[\s`]+/))
      const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/\]\([^)]*\)|^\|[-| :]+\|$/gm, ' ')
      const missing = prose
        .split(/[\s`|[\]*\\]+/)
        .filter((word) => word !== '' && !/^(#+|-)$/.test(word) && !words.has(word))
      expect(missing.filter((word) => !out.includes(word))).toEqual([])
    }
  })
})
