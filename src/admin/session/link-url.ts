/** Where a link leads. Its secret stands behind `#`, which no browser sends: it gets into no log of a proxy. */
export function linkUrl(origin: string, link: string): string {
  return `${origin}/setup#${link}`
}
