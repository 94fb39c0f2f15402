// The cutting gateway as a process. Arguments: requests, seed, average requests per harm, comma-separated harms, folder
// for its book. Prints its address, and a line for each line of standard input: `counts`, or `book`, which first writes
// the book.
import { join } from 'node:path'
import { seededRandom } from '../../support/chance.ts'
import { GatewayBook } from '../books.ts'
import { startCuttingGateway } from './cutting-gateway.ts'
import { HARMS } from './harms.ts'

const [count = '', seed = '', harmEvery = '', harms = '', folder = ''] = process.argv.slice(2)

const book = new GatewayBook(Number(count))
const gateway = await startCuttingGateway({
  book,
  random: seededRandom(Number(seed)),
  harmEvery: Number(harmEvery),
  harms: HARMS.filter((harm) => harms.split(',').includes(harm)),
})
say({ origin: gateway.origin, ca: gateway.ca })
for await (const line of console) {
  if (line === 'book') {
    await Bun.write(join(folder, 'processed'), book.processed)
    await Bun.write(join(folder, 'again'), book.again)
  }
  say({ ...gateway.counts(), strangers: book.strangers })
}
process.exit(0)

function say(words: object): void {
  process.stdout.write(`${JSON.stringify(words)}\n`)
}
