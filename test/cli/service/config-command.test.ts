import { describe, expect, test } from 'bun:test'
import { describeSettings } from '../../../src/settings/settings-text.ts'
import { commandLine } from '../command-line.ts'

const HEX = '0123456789abcdef'.repeat(4)

/** Cells of this flag's line. */
function row(text: string, flag: string): readonly string[] {
  return (text.split('\n').find((line) => line.startsWith(`${flag} `)) ?? '').split(/ {2,}/)
}

describe('bellhop config', () => {
  test('shows every setting in the order of the table, its value and what said so', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['config', '--log-level', 'debug', '--compat'], {
      BELLHOP_LISTEN: '[::1]:0',
    })
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(
      stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(' ')[0]),
    ).toEqual(describeSettings().map(({ flag }) => flag))
    expect(row(stdout, '--data')).toEqual(['--data', cli.data, 'BELLHOP_DATA'])
    expect(row(stdout, '--listen')).toEqual(['--listen', '[::1]:0', 'BELLHOP_LISTEN'])
    expect(row(stdout, '--log-level')).toEqual(['--log-level', 'debug', 'flag'])
    expect(row(stdout, '--compat')).toEqual(['--compat', 'on', 'flag'])
    expect(row(stdout, '--webhook-private')).toEqual(['--webhook-private', 'off', 'default'])
    expect(row(stdout, '--proxy')).toEqual(['--proxy', 'none', 'default'])
  })

  test('shows of a secret that it is set, and of a proxy where it is, wherever they come from', async () => {
    using cli = commandLine()
    const proxy = cli.file('proxy', 'http://hunter:hunter2@proxy.test:3128\n')
    for (const env of [{ BELLHOP_KEY: HEX }, { BELLHOP_KEY_FILE: cli.file('k', HEX) }]) {
      for (const format of [[], ['--json']]) {
        const printed = await cli.run(['config', ...format], { ...env, BELLHOP_PROXY_FILE: proxy })
        const all = printed.stdout + printed.stderr
        expect(printed.exitCode).toBe(0)
        expect(all).not.toContain(HEX)
        expect(all).not.toContain('hunter')
        expect(all).not.toContain('Basic')
        expect(all).toContain('set, not shown')
        expect(all).toContain('http://…@proxy.test:3128')
      }
    }
    const { stdout } = await cli.run(['config'], { BELLHOP_PROXY_FILE: proxy })
    expect(row(stdout, '--proxy')[2]).toBe(`the file ${proxy} of BELLHOP_PROXY_FILE`)
  })

  test('a wrong secret is not shown either', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(['config', '--json'], { BELLHOP_KEY: 'hunter2' })
    expect(exitCode).toBe(2)
    expect(stdout + stderr).not.toContain('hunter2')
  })

  test('reports all problems and warnings at once, with exit code 2, beside the settings that are fine', async () => {
    using cli = commandLine()
    const { exitCode, stdout, stderr } = await cli.run(
      ['config', '--lisen', 'x', '--log-level', 'loud', '--tls-cert', '/c.pem'],
      { BELLHOP_LISTN: 'x', BELLHOP_DRAIN_SECONDS: 'soon' },
    )
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      [
        'bellhop: BELLHOP_LISTN is not a setting and is ignored. Did you mean BELLHOP_LISTEN?',
        'bellhop: --lisen is not a flag of this command. Did you mean --listen?',
        'bellhop: --log-level (BELLHOP_LOG_LEVEL): "loud" is not one of debug, info, warn, error',
        'bellhop: --drain-seconds (BELLHOP_DRAIN_SECONDS): "soon" is not a whole number from 0 to 3600',
        'bellhop: --tls-key (BELLHOP_TLS_KEY) is missing: --tls-cert (BELLHOP_TLS_CERT) is of no use without it.',
        '',
      ].join('\n'),
    )
    expect(row(stdout, '--log-level')).toEqual(['--log-level', 'wrong', 'flag'])
    expect(row(stdout, '--drain-seconds')).toEqual(['--drain-seconds', 'wrong', 'BELLHOP_DRAIN_SECONDS'])
    expect(row(stdout, '--listen')).toEqual(['--listen', '127.0.0.1:8790', 'default'])
  })

  test('tells files that serve could not use, with its exit code 1: they may be there later', async () => {
    using cli = commandLine()
    const argv = ['--gateway-ca', '/nowhere/ca', '--tls-cert', '/nowhere/cert', '--tls-key', '/nowhere/key']
    const { exitCode, stderr } = await cli.run(['config', ...argv])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: [
        'bellhop: --tls-cert (BELLHOP_TLS_CERT): the file /nowhere/cert cannot be read: there is no such file.',
        'bellhop: --gateway-ca (BELLHOP_GATEWAY_CA): there is no file /nowhere/ca.',
        '',
      ].join('\n'),
    })
    const { stdout } = await cli.run(['config', '--json', ...argv])
    expect(JSON.parse(stdout).problems).toHaveLength(2)
  })

  test('a word is too much', async () => {
    using cli = commandLine()
    const { exitCode, stderr } = await cli.run(['config', 'listen'])
    expect([exitCode, stderr]).toEqual([2, 'bellhop: "listen" is too much: config takes only flags.\n'])
  })

  test('with --json it is one line, with the problems in it', async () => {
    using cli = commandLine()
    const { exitCode, stdout } = await cli.run(['config', '--json', '--listen', 'foo', '--header-prefix', 'a,b'], {
      BELLHOP_X: '1',
    })
    expect(exitCode).toBe(2)
    expect(stdout.trimEnd()).not.toContain('\n')
    const { settings, problems, warnings } = JSON.parse(stdout)
    const wrong = '--listen (BELLHOP_LISTEN): "foo" is not host:port, such as 127.0.0.1:8790'
    expect(problems).toEqual([wrong])
    expect(warnings).toEqual(['BELLHOP_X is not a setting and is ignored.'])
    expect(settings).toHaveLength(describeSettings().length)
    expect(settings).toContainEqual({
      flag: '--listen',
      variable: 'BELLHOP_LISTEN',
      value: null,
      source: 'flag',
      problem: wrong,
    })
    expect(settings).toContainEqual({
      flag: '--header-prefix',
      variable: 'BELLHOP_HEADER_PREFIX',
      value: 'A,B',
      source: 'flag',
    })
    expect(settings).toContainEqual({ flag: '--key', variable: 'BELLHOP_KEY', value: null, source: 'default' })
  })

  test('warnings alone are no failure', async () => {
    using cli = commandLine()
    const { exitCode, stderr } = await cli.run(['config', '--admin-listen', '0.0.0.0:8791'])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('open to other machines without TLS')
  })

  test('serves nothing and makes no data directory', async () => {
    using cli = commandLine()
    await cli.run(['config', '--data', `${cli.data}/none`])
    expect(cli.served).toEqual([])
    expect(await Bun.file(`${cli.data}/none/bellhop.db`).exists()).toBe(false)
  })
})
