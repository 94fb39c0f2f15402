// What is linked into Bun's runtime, by the table in its licence.

export interface RuntimePart {
  readonly name: string
  /** As the runtime tells it: `3.54.1`, a commit; `null` where it does not. */
  readonly version: string | null
  /** In words: `MIT`, `several licenses`. */
  readonly license: string
  readonly url: string
}

/** What `process.versions` calls those that it calls otherwise. */
const VERSION_NAMES: Readonly<Record<string, string>> = {
  libicu: 'icu',
  'c-ares': 'ares',
  'lol-html': 'lolhtml',
  'ls-hpack': 'lshpack',
  picohttp: 'picohttpparser',
  'zlib-ng': 'zlib',
  uSockets: 'usockets',
}

const JAVASCRIPT_CORE = { name: 'JavaScriptCore', license: 'LGPL-2', url: 'https://github.com/oven-sh/webkit' }

/** Of the runtime for `platform` (`linux`, `darwin`); `versions` are those of `process.versions`. */
export function runtimeParts(
  license: string,
  platform: string,
  versions: Readonly<Record<string, string | undefined>>,
): readonly RuntimePart[] {
  const [, table = ''] = /^## Linked libraries\n([\s\S]*?)^## /m.exec(license) ?? []
  const rows = table.matchAll(/^\| \[`([^`]+)`\]\(([^)]+)\)([^|]*)\| (.+?) *\|$/gm)
  const linked = Array.from(rows, ([, name = '', url = '', on = '', text = '']) => ({ name, url, on, text }))
  return [
    { ...JAVASCRIPT_CORE, version: versions['webkit'] ?? null },
    ...linked
      .filter(({ on }) => !on.includes('(on ') || on.toLowerCase().includes(NAMES[platform] ?? platform))
      .map(({ name, url, text }) => ({
        name,
        version: versions[VERSION_NAMES[name] ?? name] ?? null,
        // Of a link its words.
        license: text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').trim(),
        url,
      })),
  ]
}

const NAMES: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' }
