import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { describeSettings } from '../../../src/settings/settings-text.ts'
import { commandLine, refused } from '../command-line.ts'
import { directoryOfTests } from '../../support/directory-of-tests.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

const directory = directoryOfTests('bellhop-completions')

beforeAll(async () => {
  writeFileSync(join(directory, 'service account.json'), '')
  using cli = commandLine()
  for (const shell of SHELLS) {
    const { stdout, exitCode } = await cli.run(['completions', shell])
    expect(exitCode).toBe(0)
    writeFileSync(join(directory, `bellhop.${shell}`), stdout)
  }
})

/** Lines printed by a script in a shell without the machine's settings. */
function shell(argv: readonly string[], script: string, lines: readonly string[]): readonly string[] {
  const [program = '', ...flags] = argv
  const child = Bun.spawnSync([program, ...flags, '-c', script, ...lines], {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', HOME: directory, TERM: 'xterm' },
    stdin: 'ignore',
    timeout: 30_000,
  })
  expect(child.stderr.toString()).toBe('')
  return child.stdout.toString().split('\n').slice(0, -1)
}

/** A list for each line; bash splits at `=`. */
function bash(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `source ./bellhop.bash
for line in "$0" "$@"; do
  IFS=' ' read -ra COMP_WORDS <<< "\${line//=/ = }"
  [[ $line == *[\\ =] ]] && [[ $line != *= ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _bellhop
  (IFS='|'; echo "\${COMPREPLY[*]}")
done`
  return shell(['bash', '--norc', '--noprofile'], script, lines).map((line) => (line === '' ? [] : line.split('|')))
}

function fish(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `source ./bellhop.fish
for line in $argv
  set -l found (complete -C $line | string replace -r '\\t.*' '')
  echo (string join -- '|' $found)
end`
  return shell(['fish', '--no-config'], script, lines).map((line) => (line === '' ? [] : line.split('|').toSorted()))
}

/** The line after Tab. */
function zsh(lines: readonly string[]): readonly string[] {
  // zsh completes only in a terminal.
  const script = `zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'PS1= PS2=; unsetopt prompt_sp; autoload -Uz compinit; compinit -u -D; source ./bellhop.zsh'
zpty -w inner 'seen() { zle complete-word; print -r -- "<""<$BUFFER>>"; zle kill-whole-line; zle accept-line }'
zpty -w inner 'zle -N seen; bindkey "^I" seen'
for line in "$0" "$@"; do
  zpty -w -n inner "$line"$'\\t'
  zpty -r inner out '*<<*>>*'
  print -r -- "\${\${out##*<<}%%>>*}"
done
zpty -d inner`
  return shell(['zsh', '-f'], script, lines)
}

describe('bellhop completions', () => {
  test('of no such shell is refused, and which there are is said', async () => {
    using cli = commandLine()
    expect(await cli.run(['completions', 'tcsh'])).toEqual(refused(2, '"tcsh" is not one of bash, zsh, fish.'))
    expect((await cli.run(['completions'])).stderr).toBe(
      'bellhop: completions needs bash|zsh|fish. Usage: bellhop completions bash|zsh|fish\n',
    )
  })

  test('bash completes every command and every flag there is', () => {
    const flagsOf = COMMANDS.map(({ settings, flags }) => [
      ...(settings ? describeSettings().map(({ flag }) => flag) : []),
      ...flags.map((flag) => `--${flag.name}`),
      '--help',
    ])
    expect(bash(COMMANDS.map(({ name }) => `bellhop ${name} --`))).toEqual(flagsOf)
    const firsts = new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))
    expect(bash(['bellhop '])).toEqual([[...firsts, '--help', '--version']])
  })

  const lines: readonly (readonly [line: string, words: string[]])[] = [
    ['bellhop app cr', ['create']],
    ['bellhop app show --j', ['--json']],
    ['bellhop serve --log-level ', ['debug', 'error', 'info', 'warn']],
    ['bellhop serve --log-level d', ['debug']],
    ['bellhop config --trans', ['--transport']],
    ['bellhop app apns Shop --environment s', ['sandbox']],
    ['bellhop app webhook Shop --secret ', ['new']],
    ['bellhop app fcm Shop --service-account serv', ['service account.json']],
    ['bellhop serve --listen ', []],
    ['bellhop app create ', []],
    ['bellhop completions ', ['bash', 'fish', 'zsh']],
    ['bellhop manual se', ['sealing-key', 'segments', 'server', 'settings']],
    ['bellhop nothing ', []],
  ]

  test('bash completes commands, flags, choices and files', () => {
    const found = bash(lines.map(([line]) => line))
    expect(found.map((words) => words.toSorted())).toEqual(lines.map(([, words]) => words))
    expect(bash(['bellhop serve --log-level=d', 'bellhop serve --log-level='])).toEqual([
      ['debug'],
      ['debug', 'info', 'warn', 'error'],
    ])
  })

  test.skipIf(Bun.which('fish') === null)('fish completes the same', () => {
    expect(fish(lines.map(([line]) => line))).toEqual(lines.map(([, words]) => words))
  })

  test.skipIf(Bun.which('zsh') === null)('zsh completes the same', () => {
    const typed = {
      'bellhop app cr': 'bellhop app create ',
      'bellhop app show --j': 'bellhop app show --json ',
      'bellhop serve --log-l': 'bellhop serve --log-level=',
      'bellhop serve --log-level=d': 'bellhop serve --log-level=debug ',
      'bellhop app apns Shop --environment s': 'bellhop app apns Shop --environment sandbox ',
      'bellhop app fcm Shop --service-account serv': String.raw`bellhop app fcm Shop --service-account service\ account.json `,
      'bellhop completions z': 'bellhop completions zsh ',
      'bellhop serve --listen ': 'bellhop serve --listen ',
    }
    expect(zsh(Object.keys(typed))).toEqual(Object.values(typed))
  })
})
