import { expect, test } from 'bun:test'
import { createFakeClock } from '../../support/fake-clock.ts'
import { commandsBeside } from '../everyday-service.ts'
import { refused } from '../command-line.ts'

const IOS = 'c1'.repeat(32)
const NO_PUSH = '019a9f7e-3c1b-7000-8000-000000000000'

const beside = await commandsBeside()

test('explain says what GET /push/{id}/device says, for the beginning of a token too', async () => {
  const caller = beside.newCaller()
  await caller.register({ token: IOS, platform: '0', alias: 'user-17', tag: 'muted' })
  const { body } = await caller.post('/push/all', { msg: 'Hello', tags: 'bread' })
  const { exitCode, stdout } = await beside.run(['explain', body.id, 'c1c1c1c1…'])
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: [
      'excluded',
      'The push excluded the device: it does not have the tag "bread", which the push addresses. This is based on the device as it is now.',
      '',
      `  push         ${body.id}`,
      '  device       c1c1c1c1… (iOS, alias user-17)',
      '  left out by  tags',
      '',
    ].join('\n'),
  })
  const json = await beside.run(['explain', body.id.toUpperCase(), IOS, '--json'])
  const headers = { token: IOS }
  const answer = await beside.service.get(`/push/${body.id}/device`, { application: caller.application, headers })
  expect(JSON.parse(json.stdout)).toEqual(answer.body)
})

test('explain knows of a pause what a running server tells, and says where none does', async () => {
  const application = beside.service.addApplication('waits', {}, false)
  await beside.service.put('/deviceToken', { token: IOS, platform: '0' }, { application })
  const { body } = await beside.service.post(
    '/push/all',
    { platform: '0', msg: 'Hi', sound: '', badge: '' },
    { application },
  )
  // It waits for a credential once the audience is known.
  while ((await beside.service.get(`/push/${body.id}`, { application })).body.state !== 'paused') await Bun.sleep(5)
  // A clock that stands still keeps the server in time.
  const { stdout } = await beside.run(['explain', body.id, IOS], { clock: createFakeClock() })
  expect(stdout).toStartWith('waiting\nSending is paused (there is no credential for APNs), and the push has not come')
})

test('explain of what is not there', async () => {
  const caller = beside.newCaller()
  const { body } = await caller.post('/push/all', { msg: 'Hello', tags: 'bread' })
  const unknown = await beside.run(['explain', body.id, IOS])
  expect(unknown.stdout).toStartWith('not registered\nNo device of this application has this token')
  expect(await beside.run(['explain', NO_PUSH, IOS])).toEqual(
    refused(1, `There is no push ${NO_PUSH} in ${beside.service.data}: use the UUID from the answer to the push.`),
  )
  for (const platform of ['0', '1']) await caller.register({ token: 'both:both', platform })
  const both = await beside.run(['explain', body.id, 'both:both'])
  expect(both).toEqual(refused(1, 'Several platforms have a device with this token: --platform chooses one.'))
  expect((await beside.run(['explain', body.id, 'both:both', '--platform', 'android'])).exitCode).toBe(0)
})
