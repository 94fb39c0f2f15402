import { describe, expect, test } from 'bun:test'
import { canonicalTag, lookUpTag } from '../../src/text/language-tag.ts'

describe('a language tag', () => {
  test.each([
    ['de', 'de'],
    ['pt_br', 'pt-BR'],
    ['ZH-HANT-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
    ['in_ID', 'id-ID'],
    ['de-DE-u-co-phonebk', 'de-DE-u-co-phonebk'],
    ['en_US@calendar=buddhist', 'en-US'],
    ['zh_CN_#Hans', 'zh-Hans-CN'],
    ['sr__#Latn', 'sr-Latn'],
    ['th_TH_#Thai_u-nu-thai', 'th-Thai-TH'],
    ['en_US_#u-fw-mon-mu-celsius', 'en-US'],
    ['de__#u-mu-celsius', 'de'],
    ['th_TH_TH_#u-nu-thai', 'th-TH'],
    ['sr_RS_EKAVSK_#Latn', 'sr-Latn-RS'],
  ])('is read in each way of writing it: %s', (given, canonical) => {
    expect(canonicalTag(given)).toBe(canonical)
  })

  test.each([
    '',
    'root',
    'en--US',
    'de-',
    '-de',
    'x-klingon',
    '12',
    'de DE',
    '@a=b',
    'en_US_#',
    'en_US_#Lat',
    '_US_#Latn',
    `en-x-${'a'.repeat(8)}-`,
  ])('is none: "%s"', (given) => {
    expect(canonicalTag(given)).toBeNull()
  })
})

describe('the lookup of RFC 4647', () => {
  const find = (tag: string, ...known: readonly string[]) => lookUpTag(tag, new Set(known))

  test('cuts the tag from its end, until something is known by it', () => {
    expect(find('zh-Hant-TW', 'zh', 'zh-Hant')).toBe('zh-Hant')
    expect(find('zh-Hant-TW', 'zh', 'zh-TW')).toBe('zh')
    expect(find('de-CH-1996', 'de', 'de-CH')).toBe('de-CH')
    expect(find('de', 'de')).toBe('de')
  })

  test('leaves no single letter at the end', () => {
    const asked: string[] = []
    const known = { has: (tag: string) => asked.push(tag) === 0 } as unknown as ReadonlySet<string>
    expect(lookUpTag('zh-Hant-CN-x-private1-private2', known)).toBeNull()
    // The example of the RFC.
    expect(asked).toEqual(['zh-Hant-CN-x-private1-private2', 'zh-Hant-CN-x-private1', 'zh-Hant-CN', 'zh-Hant', 'zh'])
  })

  test('never goes from a language to a region of it, nor to another region', () => {
    expect(find('pt', 'pt-BR')).toBeNull()
    expect(find('pt-PT', 'pt-BR')).toBeNull()
    expect(find('zh', 'zh-Hans', 'z')).toBeNull()
  })
})
