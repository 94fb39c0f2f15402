// What Bun's runtime links, from the table in its licence.

export interface RuntimePart {
  readonly name: string
  /** From the runtime: `3.54.1`, or a commit. */
  readonly version: string | null
  /** In words: `MIT`, `several licenses`. */
  readonly license: string
  readonly url: string
}

/** Names in `process.versions` that differ from the table's. */
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

/** `platform`: `linux`, `darwin`. `versions`: `process.versions`. */
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
        // Only a link's text.
        license: text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').trim(),
        url,
      })),
  ]
}

const NAMES: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' }
