// Loaded before the service: shifts its clock by the milliseconds in a file.
import { existsSync, readFileSync } from 'node:fs'

const path = process.env['FAULTS_CLOCK_OFFSET'] ?? ''
const realNow = Date.now
let offsetMs = 0

Date.now = () => realNow() + offsetMs

look()
setInterval(look, 20).unref()

function look(): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  // It is empty while it is being written.
  if (text !== '') offsetMs = Number(text)
}
