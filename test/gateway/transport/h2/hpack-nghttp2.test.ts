import { expect, test } from 'bun:test'
import { compareWithNghttp2 } from '../../../proof/hpack/compare.ts'

test('3,000 header blocks mean the same to nghttp2, and so do its own to us', async () => {
  const { blocks, findings, peerResizes, ourResizes } = await compareWithNghttp2(3000, 1)
  expect(findings).toEqual([])
  expect(blocks).toBe(3000)
  // Else the sizes of the tables would not have been tried.
  expect(peerResizes).toBeGreaterThan(20)
  expect(ourResizes).toBeGreaterThan(20)
})
