import clients from '../../manual/clients.md' with { type: 'text' }

interface Sample {
  /** `iOS` */
  readonly title: string
  /** Each is a file. */
  readonly code: readonly string[]
}

/** What the manual has for each kind of app, with the address and the application filled in. */
export function samplesFor(url: string, application: string): readonly Sample[] {
  return clients
    .split(/^## /m)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      code: Array.from(section.matchAll(/^```\w+\n(.*?)\n```$/gms), ([, code = '']) =>
        code.replaceAll('https://push.example.com', url).replaceAll('app_…', application),
      ),
    }))
    .filter(({ code }) => code.length > 0)
}
