import { expect, test } from 'bun:test'
import { csvOf } from '../../src/dashboard/components/csv.ts'

test('what has commas, quotes or lines in it is quoted (RFC 4180)', () => {
  expect(csvOf([['a', 'b,c', 'd"e', 'f\ng']])).toBe('a,"b,c","d""e","f\ng"\r\n')
})

test('what a spreadsheet would run is text; a number stays one', () => {
  const formulas = ['=1+1', '+1', '@SUM(A1)', '-2+3', '\tx']
  expect(csvOf([formulas])).toBe("'=1+1,'+1,'@SUM(A1),'-2+3,'\tx\r\n")
  expect(csvOf([['-2', '-2.5']])).toBe('-2,-2.5\r\n')
})
