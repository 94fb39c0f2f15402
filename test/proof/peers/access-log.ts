import type { GatewayBook } from '../books.ts'
import { notePath } from './child.ts'

/** Enters an access log with lines `CONNECTION PATH STATUS` into the book; returns the number of connections. */
export async function readAccessLog(file: string, book: GatewayBook): Promise<{ readonly connections: number }> {
  const connections = new Set<string>()
  for (const line of (await Bun.file(file).text()).split('\n')) {
    const [connection, path] = line.split(' ')
    if (connection === undefined || path === undefined) continue
    connections.add(connection)
    notePath(book, path)
  }
  return { connections: connections.size }
}
