import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BACKENDS } from '../../client/backends.ts'
import { problem } from '../../failure.ts'
import { suggestion } from '../../text/nearest.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'

export const run: RunCommand = async ({ words: [language = ''], flags }) => {
  const text = Object.hasOwn(BACKENDS, language) ? BACKENDS[language] : undefined
  if (text === undefined) {
    const languages = Object.keys(BACKENDS)
    return problems(`There is no file for "${language}": ${languages.join(', ')}.${suggestion(language, languages)}`)
  }
  const path = flags.get('to')
  if (path === undefined) return done(text)
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory() === true)
    return problem(`${path} is a folder: name the file with --to, such as ${join(path, 'bellhop')}.`)
  if (there !== undefined && readFileSync(path, 'utf8') !== text && !flags.has('force'))
    return problem(`${path} is there and differs. Replace it with --force.`)
  writeFileSync(path, text)
  return done(`Wrote ${path}.\n`)
}
