// Idle connections: `bun idle-crowd.ts PORT COUNT FIRST ADDRESSES`. Closed ones are reopened.
import { connect } from 'node:net'

const [port = 0, count = 0, first = 0, addresses = 1] = process.argv.slice(2).map(Number)
const AT_ONCE = 100

function enter(n: number): void {
  const address = n % addresses
  const localAddress = `127.0.${2 + Math.floor(address / 200)}.${1 + (address % 200)}`
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(() => enter(n), 50))
}

for (let n = 0; n < count; n++) {
  enter(first + n)
  if (n % AT_ONCE === AT_ONCE - 1) await Bun.sleep(1)
}
