// Loaded before the service: its clock is off by the milliseconds in a file, from one read to the next.
import { existsSync, readFileSync } from 'node:fs'

const path = process.env['FAULTS_CLOCK_OFFSET'] ?? ''
const realNow = Date.now
let offsetMs = 0

Date.now = () => realNow() + offsetMs

setInterval(() => {
  if (existsSync(path)) offsetMs = Number(readFileSync(path, 'utf8'))
}, 20).unref()
