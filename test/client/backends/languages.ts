import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BACKENDS } from '../../../src/client/backends.ts'

export interface Language {
  readonly name: string
  /** The program that runs it, and its Debian package. */
  readonly program: string
  readonly debian: string
  /** What a framework calls, in a file of its own. */
  readonly glue?: string
  /** Too slow for every run: only `bun run backends` tries it. */
  readonly slow?: true
  /** Puts the file into a folder. Returns the command that makes the calls there. */
  readonly prepare: (text: string, folder: string) => readonly string[]
}

const driver = (name: string) => join(import.meta.dir, name)

function written(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'typescript',
    program: 'node',
    debian: 'nodejs',
    prepare: (text, folder) => {
      const script = new Bun.Transpiler({ loader: 'ts' }).transformSync(text)
      return ['node', driver('drive.mjs'), written(folder, 'bellhop.mjs', script)]
    },
  },
  {
    name: 'python',
    program: 'python3',
    debian: 'python3',
    prepare: (text, folder) => ['python3', driver('drive.py'), written(folder, 'bellhop.py', text)],
  },
  {
    name: 'php',
    program: 'php',
    debian: 'php-cli',
    glue: 'laravel',
    prepare: (text, folder) => {
      const files = [
        written(folder, 'Bellhop.php', text),
        written(folder, 'BellhopChannel.php', BACKENDS['laravel'] ?? ''),
      ]
      return ['php', '-n', '-d', 'display_errors=stderr', driver('drive.php'), ...files]
    },
  },
  {
    name: 'ruby',
    program: 'ruby',
    debian: 'ruby',
    glue: 'rails',
    prepare: (text, folder) => {
      const files = [
        written(folder, 'bellhop.rb', text),
        written(folder, 'bellhop_delivery.rb', BACKENDS['rails'] ?? ''),
      ]
      return ['ruby', '-w', driver('drive.rb'), ...files]
    },
  },
  {
    name: 'go',
    program: 'go',
    debian: 'golang-go',
    slow: true,
    prepare: (text, folder) => {
      mkdirSync(join(folder, 'bellhop'))
      written(folder, 'go.mod', 'module test\n\ngo 1.19\n')
      written(folder, 'bellhop/bellhop.go', text)
      copyFileSync(driver('drive.go'), join(folder, 'main.go'))
      const { exitCode, stderr } = Bun.spawnSync(['go', 'build', '-o', 'drive'], { cwd: folder })
      if (exitCode !== 0) throw new Error(stderr.toString())
      return [join(folder, 'drive')]
    },
  },
  {
    name: 'elixir',
    program: 'elixir',
    debian: 'elixir (1.18 or later)',
    slow: true,
    prepare: (text, folder) => ['elixir', driver('drive.exs'), written(folder, 'bellhop.ex', text)],
  },
]

/** Why a language cannot run here. Empty if it can. */
export function missing({ program, debian, name }: Language): string {
  if (Bun.which(program) === null) return `${program} is not installed; Debian: apt-get install ${debian}`
  if (name !== 'elixir') return ''
  const { success } = Bun.spawnSync([program, '-e', 'JSON.encode!(1)'])
  return success ? '' : `this Elixir has no JSON; ${debian}`
}
