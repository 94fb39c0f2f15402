import { describe, expect, test } from 'bun:test'
import { faultsOf, GatewayBook, judge, SenderBook } from './books.ts'

type Ending = 'answered' | 'unsent' | 'unknown'

/** One request with these endings, of which the gateway processed these attempts. */
function verdictOf(endings: readonly Ending[], processed: readonly number[]) {
  const sender = new SenderBook(1)
  const gateway = new GatewayBook(1)
  for (const [attempt, ending] of endings.entries()) sender.note(ending, 0, attempt)
  for (const attempt of processed) gateway.note(0, attempt)
  return judge(sender, gateway)
}

describe('a request is well', () => {
  const cases: readonly (readonly [name: string, endings: readonly Ending[], processed: readonly number[]])[] = [
    ['that was answered and processed', ['answered'], [0]],
    ['that was sent again after it was not sent', ['unsent', 'answered'], [1]],
    ['that was sent again after an unknown fate, and had not been processed', ['unknown', 'answered'], [1]],
    ['that was sent again after an unknown fate, and had been processed', ['unknown', 'answered'], [0, 1]],
    ['that was processed in the last of sixteen attempts', [...Array<Ending>(15).fill('unsent'), 'answered'], [15]],
  ]
  test.each(cases)('%s', (_, endings, processed) => {
    const verdict = verdictOf(endings, processed)
    expect(faultsOf(verdict)).toEqual([])
    expect(verdict.examples).toEqual([])
    expect(verdict.processed).toBe(processed.length)
  })

  test('and counts as repeated if it was processed in two attempts', () => {
    expect(verdictOf(['unknown', 'answered'], [0, 1]).repeated).toBe(1)
    expect(verdictOf(['unknown', 'answered'], [1]).repeated).toBe(0)
  })
})

describe('a request is at fault', () => {
  const cases: readonly (readonly [
    name: string,
    endings: readonly Ending[],
    processed: readonly number[],
    faults: readonly string[],
  ])[] = [
    ['that nobody processed or answered', ['unsent'], [], ['lost 1', 'unanswered 1']],
    ['that was never sent', [], [], ['lost 1', 'unanswered 1']],
    ['that was processed and never answered', ['unknown'], [0], ['unanswered 1']],
    ['that one attempt had processed twice', ['answered'], [0, 0], ['doubled 1']],
    ['that was processed though unsent', ['unsent', 'answered'], [0, 1], ['processed though unsent 1']],
    ['that was answered and not processed', ['unknown', 'answered'], [0], ['answered though unprocessed 1']],
    ['that was processed in an attempt nobody made', ['answered'], [0, 1], ['never sent 1']],
  ]
  test.each(cases)('%s', (_, endings, processed, faults) => {
    const verdict = verdictOf(endings, processed)
    expect(faultsOf(verdict)).toEqual(faults)
    expect(verdict.examples).toHaveLength(1)
  })

  test('whose number or attempt does not exist', () => {
    const sender = new SenderBook(1)
    const gateway = new GatewayBook(1)
    sender.note('answered', 0, 0)
    gateway.note(0, 0)
    gateway.note(1, 0)
    gateway.note(0, 16)
    gateway.note(Number.NaN, 0)
    expect(faultsOf(judge(sender, gateway))).toEqual(['never sent 3'])
  })

  test('with the answer of another', () => {
    const sender = new SenderBook(1)
    const gateway = new GatewayBook(1)
    sender.note('answered', 0, 0)
    sender.noteWrong('request 0, attempt 0: the answer of 1/0')
    gateway.note(0, 0)
    const verdict = judge(sender, gateway)
    expect(faultsOf(verdict)).toEqual(['wrong answer 1'])
    expect(verdict.examples).toEqual(['request 0, attempt 0: the answer of 1/0'])
  })
})
