// Carries out the calls that test/client/backends.test.ts gives, a line each, with the file of argument 1.
import { createInterface } from 'node:readline'

const { Bellhop, userProof, verifyWebhook } = await import(process.argv[2])

const CALLS = {
  push: ({ place = [], target, message, key }) => new Bellhop(...place).push(target, message, key),
  status: ({ id }) => new Bellhop().status(id),
  proof: ({ user }) => userProof(user),
  verify: ({ body, headers, secret, now }) => verifyWebhook(body, headers, secret, now * 1000),
  show: async () => (await import('node:util')).inspect(new Bellhop(), { showHidden: true, depth: 9 }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const given = JSON.parse(line)
  let said
  try {
    said = { is: await CALLS[given.call](given) }
  } catch ({ status, code, message }) {
    said = { status, code, message }
  }
  process.stdout.write(`${JSON.stringify(said)}\n`)
}
