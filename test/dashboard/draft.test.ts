import { describe, expect, test } from 'bun:test'
import {
  inLanguage,
  languagesIn,
  withLanguage,
  withoutLanguage,
  withText,
} from '../../src/dashboard/client/draft-languages.ts'
import { hasContent, pushBody, pushPath } from '../../src/dashboard/client/draft.ts'
import { problemOf } from '../../src/dashboard/client/push-problem.ts'

test('a draft is a push to everybody with what the API cannot do without', () => {
  const body = pushBody({ msg: 'Hello' })
  expect(body).toEqual({ msg: 'Hello', sound: 'default', badge: '', platform: ['0', '1', '2'] })
  expect(pushPath(body)).toBe('/push/all')
})

test('lists, numbers, switches and JSON are sent as what they are, and what is empty is not', () => {
  const body = pushBody({
    msg: 'Hello',
    sound: '',
    tags: ' beta, vip ,',
    title: ' ',
    ttl: '60',
    relevance_score: '0.5',
    mutable: 'true',
    where: '{"tag": "x"}',
    platform: '1',
  })
  expect(body).toEqual({
    msg: 'Hello',
    sound: '',
    badge: '',
    tags: ['beta', 'vip'],
    ttl: 60,
    relevance_score: 0.5,
    mutable: true,
    where: { tag: 'x' },
    platform: ['1'],
  })
})

test('a silent push takes nothing along of what would show', () => {
  const body = pushBody({ msg: 'Hello', title: 'Hi', languages: '{}', silent: 'true', payload: '{"order": 17}' })
  expect(body).toEqual({ silent: true, payload: { order: 17 }, platform: ['0', '1', '2'] })
})

test('a token makes it a push to one, which needs the platform of the token', () => {
  const body = pushBody({ msg: 'Hello', token: 'abc', platform: '1' })
  expect(pushPath(body)).toBe('/push/one')
  expect(body).toEqual({ msg: 'Hello', sound: 'default', badge: '', token: 'abc', platform: '1' })
  for (const several of [{}, { platform: '0,1' }]) {
    expect(() => pushBody({ msg: 'Hello', token: 'abc', ...several })).toThrow(
      'platform must be one, that of the device token.',
    )
  }
})

test('what is not valid JSON yet is named', () => {
  expect(() => pushBody({ payload: '{"order"' })).toThrow('payload is not valid JSON yet.')
})

test('there is something to send once there is a message, a title, or that nothing shows', () => {
  expect([{ msg: 'Hello' }, { title: 'Hi' }, { silent: 'true' }].map(hasContent)).toEqual([true, true, true])
  expect([{}, { msg: ' ', title: '' }, { silent: 'false', tags: 'vip' }].map(hasContent)).toEqual([false, false, false])
})

describe('a draft in several languages', () => {
  const draft = { title: 'Hi', msg: 'Hello', languages: '{"de":{"msg":"Hallo"},"pt_br":{"link":7}}' }

  test('says in each what that says otherwise, its tag as the API writes it', () => {
    expect(languagesIn(draft)).toEqual({ de: { msg: 'Hallo' }, 'pt-BR': {} })
    expect(inLanguage(draft, 'de')).toMatchObject({ title: 'Hi', msg: 'Hallo' })
    expect(inLanguage(draft, null)).toEqual(draft)
  })

  test('has a text of a language until it is empty, and a language until it is removed', () => {
    const said = { ...draft, languages: withText(draft, 'de', 'title', 'Na') }
    expect(languagesIn(said)['de']).toEqual({ msg: 'Hallo', title: 'Na' })
    expect(languagesIn({ languages: withText(said, 'de', 'msg', '') })['de']).toEqual({ title: 'Na' })
    const one = { languages: withoutLanguage(said, 'pt-BR') }
    expect(languagesIn(one)).toEqual({ de: { msg: 'Hallo', title: 'Na' } })
    expect(withoutLanguage(one, 'de')).toBe('')
    expect(languagesIn({ languages: withLanguage({}, 'fr') })).toEqual({ fr: {} })
  })

  test('has none where its address has something else', () => {
    for (const languages of ['', '{', '[]', '7', 'null']) expect(languagesIn({ languages })).toEqual({})
    expect(languagesIn({ languages: '{"de": null}' })).toEqual({ de: {} })
  })
})

test('what is wrong is told of the field that the API names first', () => {
  const at = (sentence: string) => {
    const { field, language } = problemOf(new Error(sentence))
    return [field, language]
  }
  expect(at('title must be a string, not 7.')).toEqual(['title', null])
  expect(at('languages.pt-BR.image must be an https URL, not "x".')).toEqual(['image', 'pt-BR'])
  expect(at('languages.de.msg, sound and payload are too large: 5000 bytes for APNs')).toEqual(['msg', 'de'])
  expect(at('languages must be by language tags such as pt-BR, not "x y".')).toEqual(['languages', null])
  expect(at('where.all[0].tag must be a string.')).toEqual(['where', null])
  expect(at('platform[0] must be one of 0, 1.')).toEqual(['platform', null])
  expect(at('payload is not valid JSON yet.')).toEqual(['payload', null])
  expect(at('No device found')).toEqual([null, null])
})
