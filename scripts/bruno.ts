// Writes a Bruno collection with a request for each operation of the API. Default folder: dist/bruno.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brunoCollection } from './bruno/collection.ts'

const [folder = 'dist/bruno'] = process.argv.slice(2)
const data = mkdtempSync(join(tmpdir(), 'bellhop-bruno-'))
const listen = ['--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0']
const server = Bun.spawn([process.execPath, 'src/main.ts', 'serve', `--data=${data}`, ...listen], {
  stdout: 'pipe',
  stderr: 'ignore',
})
try {
  let said = ''
  for await (const chunk of server.stdout.pipeThrough(new TextDecoderStream())) {
    said += chunk
    if (said.includes('\n')) break
  }
  const [, url] = /^ready (\S+)/m.exec(said) ?? []
  if (url === undefined) throw new Error('the server did not start')
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Readonly<Record<string, unknown>>
  rmSync(folder, { recursive: true, force: true })
  const files = brunoCollection(document)
  for (const [path, text] of files) await Bun.write(join(folder, path), text)
  console.log(`${folder}: ${files.size} files`)
} finally {
  server.kill()
  await server.exited
  rmSync(data, { recursive: true, force: true })
}
