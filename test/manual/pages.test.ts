import { describe, expect, test } from 'bun:test'
import { findInManual } from '../../src/manual/find.ts'
import { PAGES, findPage, placeOf } from '../../src/manual/pages.ts'
import { MARKDOWN_FILES, anchorsOf } from './markdown-files.ts'

const FILES = MARKDOWN_FILES.filter(({ path }) => path.startsWith('src/manual/'))

describe('the pages of the manual', () => {
  test('are all the files, each by its name', () => {
    const files = FILES.map(({ path, text }) => [path.slice('src/manual/'.length, -'.md'.length), text])
    expect(Object.fromEntries(PAGES.map(({ topic, text }) => [topic, text]))).toEqual(Object.fromEntries(files))
    expect(new Set(PAGES.map(({ topic }) => topic)).size).toBe(PAGES.length)
  })

  test('are called by one word, and begin with a title and one sentence', () => {
    for (const { topic, title, summary, text } of PAGES) {
      expect(topic).toMatch(/^[a-z]+(-[a-z]+)?$/)
      expect(text).toStartWith(`# ${title}\n\n`)
      expect([topic, summary.match(/[.!?](?= |$)/g)]).toEqual([topic, ['.']])
      expect(text.match(/^# /gm)?.filter((_, at) => at > 0)?.length ?? 0).toBe(codeCommentsOf(text))
    }
  })

  test('have headings whose anchors are the same on GitHub and in the browser', () => {
    for (const { text } of PAGES) {
      // GitHub and Bun agree on anchors of these characters.
      for (const anchor of anchorsOf(text)) expect(anchor).toMatch(/^#[a-z0-9-]+$/)
    }
  })

  test('have nothing within an item of a list but text, as the terminal wants it', () => {
    for (const { topic, text } of PAGES) {
      const prose = text.replaceAll(/^```.*?^```$/gms, '')
      expect([topic, /^ +(?:- |\d+\. |\||```)/m.exec(prose)?.[0]]).toEqual([topic, undefined])
    }
  })

  test('are found by their topic', () => {
    expect(findPage('server')?.title).toBe('On a server with systemd')
    expect(findPage('')).toBeNull()
  })
})

/** Lines in code that look like titles. */
function codeCommentsOf(text: string): number {
  return [...text.matchAll(/^```.*?^```$/gms)].flatMap(([block]) => block.match(/^# /gm) ?? []).length
}

describe('a link in a page', () => {
  test.each([
    ['server.md', { topic: 'server', anchor: '' }],
    ['sealing-key.md#a-wrong-or-lost-key', { topic: 'sealing-key', anchor: '#a-wrong-or-lost-key' }],
    ['#buckets', { topic: null, anchor: '#buckets' }],
    ['https://bun.sh', null],
    ['../http/docs.ts', null],
    ['', null],
  ])('%p leads to %p', (href, place) => {
    expect(placeOf(href)).toEqual(place)
  })
})

describe('a word is found in the manual', () => {
  test('whatever its letter case, first where it stands in a heading or is the topic', () => {
    const [first, ...others] = findInManual('LITESTREAM')
    expect(first).toMatchObject({ topic: 'backup', heading: 'Every second: Litestream' })
    expect(first?.line).toContain('[Litestream](https://litestream.io)')
    expect(others).toContainEqual({
      topic: 'beyond',
      heading: 'Beyond one machine',
      line: '- [Litestream](backup.md#every-second-litestream) streams the write-ahead log, usually a second behind.',
    })
  })

  test('or nowhere', () => {
    expect(findInManual('zeppelin')).toEqual([])
  })
})
