// Holds the write lock of a database, and prints `locked`: lock-database.ts PATH MILLISECONDS
import { Database } from 'bun:sqlite'

const [path = '', ms = ''] = process.argv.slice(2)
using database = new Database(path)
database.run('PRAGMA busy_timeout = 30000')
database.run('BEGIN EXCLUSIVE')
process.stdout.write('locked\n')
await Bun.sleep(Number(ms))
database.run('ROLLBACK')
