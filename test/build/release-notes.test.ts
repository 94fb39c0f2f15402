import { expect, test } from 'bun:test'
import { releaseNotes } from '../../scripts/build/release-notes.ts'

const COMMIT = { hash: '1a2b3c4', date: '2026-11-27', atMs: 0 }

test('the notes group the commits by their types, breaking changes first', () => {
  const changes = [
    { subject: 'fix(push): count a retry once', body: '' },
    { subject: 'Merge what was left', body: '' },
    { subject: 'feat(cli)!: rename --all to --everybody', body: 'It said too little.' },
    { subject: 'feat: add hooks', body: 'Why.\n\nBREAKING CHANGE: hooks need\na secret.\n\nSigned-off-by: X' },
    { subject: 'feat(cli): print a skill', body: '' },
    { subject: 'chore: clean', body: '' },
  ]
  expect(releaseNotes('0.2.0', COMMIT, { tag: 'v0.1.0', changes }, '')).toBe(`# Bellhop 0.2.0

Commit 1a2b3c4 of 2026-11-27. Changes since v0.1.0:

## Breaking changes

- **cli**: rename --all to --everybody
- add hooks. hooks need a secret.

## New

- **cli**: print a skill

## Fixed

- **push**: count a retry once

## Other changes

- Merge what was left
- clean
`)
})

test('without an earlier tag, the notes are the newest section of the changelog, without links to pages beside it', () => {
  const changelog =
    '# Changelog\n\nIntro.\n\n## 2026-11-27\n\n- [Hooks](hooks.md#try) and [agents](agents.md), see [it](https://example.com).\n\n## 2026-11-26\n\nOld.\n'
  expect(releaseNotes('0.1.0', COMMIT, null, changelog)).toBe(`# Bellhop 0.1.0

Commit 1a2b3c4 of 2026-11-27. No earlier release is tagged: this is the newest section of the changelog.

## 2026-11-27

- Hooks and agents, see [it](https://example.com).
`)
})
