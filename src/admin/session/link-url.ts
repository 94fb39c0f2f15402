/** The secret follows `#`, which browsers do not send: no proxy logs it. */
export function linkUrl(origin: string, link: string): string {
  return `${origin}/setup#${link}`
}
