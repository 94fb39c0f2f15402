import { describe, expect, test } from 'bun:test'
import { printed, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const TEMPLATE = {
  where: { type: 'order.paid' },
  event: '{{ id }}',
  push: { users: ['{{ user }}'], msg: 'Order {{ number }}', sound: 'default' },
}
const EVENT = { id: 'e1', type: 'order.paid', user: 'ann', number: 17 }
const KEY = /bhh_[\w-]{43}/

const written = (cli: CommandLine, name: string, content: unknown) => cli.file(name, JSON.stringify(content))

async function withHook() {
  const cli = await withShop()
  const template = written(cli, 'orders.json', TEMPLATE)
  const made = await cli.run(['hook', 'create', 'Shop', 'orders', '--template', template])
  return { cli, template, made, [Symbol.dispose]: () => cli[Symbol.dispose]() }
}

describe('bellhop hook', () => {
  test('create shows the path of its calls, with the key in this answer alone', async () => {
    using given = await withHook()
    const { cli, template, made } = given
    const key = KEY.exec(made.stdout)?.[0]
    expect(made).toEqual(
      printed(
        'Hook orders is there. Calls go to this path of your server:',
        '',
        `  /hook/orders/${key}`,
        '',
        "Copy it to the service now; you won't see the key again.",
        'Try it with: bellhop hook preview orders --example FILE',
      ),
    )
    for (const argv of [['list'], ['show', 'orders'], ['show', 'orders', '--json'], ['list', '--json']]) {
      const { exitCode, stdout } = await cli.run(['hook', ...argv])
      expect({ exitCode, shows: KEY.test(stdout) }).toEqual({ exitCode: 0, shows: false })
    }
    expect((await cli.run(['hook', 'create', 'Shop', 'orders', '--template', template])).stdout).toContain(
      'Hook orders is changed. Calls go to this path of your server:\n\n  /hook/orders\n\nIts key stays as it was: --new-key makes another one.\n',
    )
  })

  test('create says all that is wrong', async () => {
    using cli = await withShop()
    const broken = written(cli, 'broken.json', { where: { type: {} }, push: { users: ['{{ a | uper }}'] } })
    expect(await cli.run(['hook', 'create', 'Shop', 'Orders!', '--template', broken, '--signature', 'github'])).toEqual(
      refused(
        2,
        'NAME must be a name of 1 to 63 characters of a-z, 0-9, - and _, which starts with a letter or digit.',
        '--template is not right: where.type must be a text, a number, true, false or null, a list of these, or an object of not, above, below and exists.',
        '--template is not right: push.users.0: there is no filter "uper": upper, lower, truncate, number, divide, date, default. Did you mean upper?',
        '--secret-file is required: what the sender signs with.',
      ),
    )
    expect(await cli.run(['hook', 'create', 'Shop', 'orders'])).toEqual(
      refused(2, 'hook create needs --template FILE: bellhop manual hooks has examples.'),
    )
    expect(await cli.run(['hook', 'create', 'Shop', 'orders', '--template', 'none.json'])).toMatchObject({
      exitCode: 1,
    })
    const secret = cli.file('short', 'whsec_short')
    const template = written(cli, 'orders.json', TEMPLATE)
    const create = ['hook', 'create', 'Shop', 'orders', '--template', template]
    expect(await cli.run([...create, '--signature', 'standard', '--secret-file', secret])).toEqual(
      refused(2, '--secret-file must be whsec_ and the base64 of 24 to 64 bytes.'),
    )
    expect(await cli.run([...create, '--secret-file', secret])).toEqual(
      refused(2, '--signature is required with a secret.'),
    )
  })

  test('create leaves the hooks of another application alone', async () => {
    using given = await withHook()
    const { cli, template } = given
    await cli.run(['app', 'create', 'Other'])
    expect(await cli.run(['hook', 'create', 'Other', 'orders', '--template', template])).toEqual(
      refused(1, 'There is a hook "orders" of another application: names are of the whole server.'),
    )
  })

  test('list and show name each, how its calls prove themselves, and that none came yet', async () => {
    using given = await withHook()
    const { cli, template } = given
    const secret = cli.file('secret', 'a secret of GitHub')
    await cli.run([
      'hook',
      'create',
      'Shop',
      'stars',
      '--template',
      template,
      '--signature',
      'github',
      '--secret-file',
      secret,
    ])
    expect(await cli.run(['hook', 'list'])).toEqual(
      printed(
        'NAME    APPLICATION  CALLS HAVE A      LAST CALL',
        'orders  Shop         key               none yet',
        'stars   Shop         github signature  none yet',
      ),
    )
    expect(await cli.run(['hook', 'list', 'Shop'])).toEqual(await cli.run(['hook', 'list']))
    const { stdout } = await cli.run(['hook', 'show', 'stars'])
    expect(stdout).toContain(JSON.stringify(TEMPLATE, null, 2))
    expect(stdout).toEndWith('No call of it has come yet.\n')
    expect(stdout).not.toContain('a secret of GitHub')
    expect(await cli.run(['hook', 'show', 'order'])).toEqual(
      refused(1, 'There is no hook "order": bellhop hook list shows them. Did you mean orders?'),
    )
  })

  test('preview shows the push of an example, and whom it would reach', async () => {
    using given = await withHook()
    const { cli } = given
    const preview = async (event: unknown, ...flags: readonly string[]) =>
      await cli.run(['hook', 'preview', 'orders', '--example', written(cli, 'event.json', event), ...flags])
    const { stdout } = await preview(EVENT)
    expect(stdout).toStartWith(
      `${JSON.stringify({ users: ['ann'], msg: 'Order 17', sound: 'default' }, null, 2)}\n\nA repeated call of this event is no second push.\nWould be sent to 0 devices. Nothing was sent.\n`,
    )
    expect(JSON.parse((await preview(EVENT, '--json')).stdout)).toMatchObject({
      kind: 'push',
      event: 'e1',
      preview: { t: 0 },
    })
    expect(await preview({ ...EVENT, type: 'order.sent' })).toEqual(
      printed('Nothing would be sent: type is not "order.paid".'),
    )
    expect(await preview({ ...EVENT, number: undefined })).toEqual(
      refused(1, 'The template of hook orders does not fit: push.msg asks for number, which is missing.'),
    )
    expect(await preview([])).toEqual(refused(1, '--example is not a JSON object.'))

    const other = written(cli, 'other.json', { push: { users: ['ann'], msg: '{{ @x-event }}' } })
    expect((await preview({}, '--template', other, '--header', 'X-Event: starred')).stdout).toContain(
      '"msg": "starred"',
    )
    expect(await preview({}, '--header', 'X-Event')).toEqual(refused(2, '--header "X-Event" is not NAME: VALUE.'))
    expect((await preview({}, '--template', written(cli, 'none.json', {}))).stderr).toBe(
      'bellhop: --template is not right: push must be an object: the body of /push/all.\n',
    )
  })

  test('delete asks first', async () => {
    using given = await withHook()
    const { cli } = given
    expect(await cli.run(['hook', 'delete', 'orders'])).toEqual(
      refused(2, 'hook delete deletes "orders": its calls are refused from then on. Add --yes to do so.'),
    )
    expect(await cli.run(['hook', 'delete', 'orders', '--yes'])).toEqual(printed('Deleted the hook orders.'))
    expect(await cli.run(['hook', 'delete', 'orders', '--yes'])).toMatchObject({ exitCode: 1 })
    expect((await cli.run(['hook', 'list'])).stdout).toBe(
      'There are no hooks: bellhop hook create APP NAME --template FILE makes one.\n',
    )
  })
})
