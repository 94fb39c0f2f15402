import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BACKENDS } from '../../../src/client/backends.ts'
import { commandLine, refused } from '../command-line.ts'
import { directoryOfTests } from '../../support/directory-of-tests.ts'

const line = commandLine()
afterAll(() => line[Symbol.dispose]())
const folder = directoryOfTests('bellhop-backend')

describe('bellhop backend', () => {
  test('prints the file of a language, and nothing else', async () => {
    for (const [language, text] of Object.entries(BACKENDS)) {
      expect(await line.run(['backend', language])).toMatchObject({ exitCode: 0, stdout: text, stderr: '' })
    }
  })

  test('writes it, and replaces a file that differs only when it is told to', async () => {
    const path = join(folder, 'bellhop.py')
    const to = ['backend', 'python', '--to', path]
    for (let times = 0; times < 2; times++) {
      expect(await line.run(to)).toMatchObject({ exitCode: 0, stdout: `Wrote ${path}.\n` })
    }
    writeFileSync(path, '# ours\n')
    expect(await line.run(to)).toEqual(refused(1, `${path} is there and differs. Replace it with --force.`))
    expect(readFileSync(path, 'utf8')).toBe('# ours\n')
    expect((await line.run([...to, '--force'])).exitCode).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(BACKENDS['python'] ?? '')
  })

  test('writes a file, not a folder', async () => {
    expect(await line.run(['backend', 'php', '--to', folder])).toEqual(
      refused(1, `${folder} is a folder: name the file with --to, such as ${join(folder, 'bellhop')}.`),
    )
  })

  test('names the languages, and the nearest one', async () => {
    for (const [word, hint] of [
      ['pyton', ' Did you mean python?'],
      ['constructor', ''],
    ] as const) {
      expect(await line.run(['backend', word])).toEqual(
        refused(2, `There is no file for "${word}": typescript, python, php, laravel, ruby, rails, go, elixir.${hint}`),
      )
    }
  })
})
