import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { APPLICATION_ID } from '../../application/application.ts'
import { LIBRARIES } from '../../client/libraries.ts'
import { problem } from '../../failure.ts'
import { publicOrigin } from '../../settings/network-types.ts'
import { suggestion } from '../../text/nearest.ts'
import { done, problems } from '../command.ts'
import type { RunCommand } from '../command.ts'

export const run: RunCommand = async ({ words: [kind = '', app = ''], flags }, { env }) => {
  const library = Object.hasOwn(LIBRARIES, kind) ? LIBRARIES[kind] : undefined
  const given = flags.get('url') ?? env['BELLHOP_PUBLIC_URL']
  const server = given === undefined ? undefined : publicOrigin.read(given)
  const wrong = [
    ...(library === undefined ? [unknownKind(kind)] : []),
    ...(APPLICATION_ID.test(app) ? [] : [noApplicationId(app)]),
    ...(server === undefined ? [`--url must be ${publicOrigin.expected}: where apps reach the server.`] : []),
  ]
  if (library === undefined || server === undefined || wrong.length > 0) return problems(...wrong)

  const folder = flags.get('to') ?? `bellhop-${kind}`
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    return problem(`${folder} is a file: name a folder with --to, which need not exist.`)
  const place = { server: server.replace(/\/$/, ''), app }
  const files = Object.entries(library.files(place)).map(([name, text]) => ({ path: join(folder, name), text }))
  const differing = files.filter(({ path, text }) => existsSync(path) && readFileSync(path, 'utf8') !== text)
  if (differing.length > 0 && !flags.has('force')) {
    const names = differing.map(({ path }) => path).join(', ')
    return problem(
      `These files are there and differ: ${names}. Replace them with --force, or write to another folder with --to.`,
    )
  }
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const written = files.map(({ path }) => `  ${path}`).join('\n')
  return done(`Wrote the library:\n\n${written}\n\n${library.tried}\n\n${library.use(place, folder)}`)
}

function unknownKind(kind: string): string {
  const kinds = Object.keys(LIBRARIES)
  return `There is no client library "${kind}": ${kinds.join(', ')}.${suggestion(kind, kinds)}`
}

function noApplicationId(app: string): string {
  if (app.startsWith('bhs_'))
    return 'This is the secret of an application. It belongs to your backend. Here goes the ID, app_…'
  return `"${app}" is not an application ID, app_ and 16 letters and digits: bellhop app list shows them.`
}
