// Loaded before the service: its clock is off by the milliseconds in a file, from one read to the next.
import { existsSync, readFileSync } from 'node:fs'

const path = process.env['FAULTS_CLOCK_OFFSET'] ?? ''
const realNow = Date.now
let offsetMs = 0

Date.now = () => realNow() + offsetMs

look()
setInterval(look, 20).unref()

function look(): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  // Empty for a moment when it is written anew.
  if (text !== '') offsetMs = Number(text)
}
