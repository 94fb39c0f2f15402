import { expect, test } from 'bun:test'
import { readFlags } from '../../src/settings/flags.ts'

const NAMES = { valued: ['data', 'key-id'], lists: ['name'], switches: ['json'] }

const cases: readonly (readonly [
  sentence: string,
  argv: readonly string[],
  flags: Readonly<Record<string, string>>,
  words: readonly string[],
  problems: readonly string[],
])[] = [
  ['flags and words stand in any order', ['a', '--data', 'x', 'b', '--json'], { data: 'x', json: '' }, ['a', 'b'], []],
  ['a value may hold an equals sign', ['--data=x=y'], { data: 'x=y' }, [], []],
  ['a value may be empty', ['--data='], { data: '' }, [], []],
  ['a value may begin with one dash', ['--data', '-x'], { data: '-x' }, [], []],
  ['a value that begins with two dashes needs the equals sign', ['--data=--x'], { data: '--x' }, [], []],
  ['after -- everything is a word', ['--', '--json', '-x'], {}, ['--json', '-x'], []],
  ['a single dash is a word', ['-'], {}, ['-'], []],
  ['a flag at the end lacks its value', ['--data'], {}, [], ['--data needs a value.']],
  [
    'a flag does not take the next flag as its value',
    ['--data', '--json'],
    { json: '' },
    [],
    ['--data needs a value.'],
  ],
  ['of a flag given twice the last counts', ['--data', 'x', '--data', 'y'], { data: 'y' }, [], []],
  ['a list joins what it is given by commas', ['--name', 'x', '--name=y,z', '--name', ''], { name: 'x,y,z,' }, [], []],
  ['a switch takes no value', ['--json=yes'], {}, [], ['--json takes no value.']],
  ['one dash is not two', ['-json'], {}, [], ['-json is not a flag of this command. Did you mean --json?']],
  ['an unknown flag is named without its value', ['--secret=s3'], {}, [], ['--secret is not a flag of this command.']],
]

for (const [sentence, argv, flags, words, problems] of cases) {
  test(sentence, () => {
    const read = readFlags(argv, NAMES)
    expect({ ...read, values: Object.fromEntries(read.values) }).toEqual({ values: flags, words, problems })
  })
}
