export function isAppleId(text: string): boolean {
  return /^[A-Z0-9]{10}$/.test(text)
}

/** Letters, digits, hyphen, period (Apple, CFBundleIdentifier). A topic may add a suffix, such as `.voip`. */
export function isBundleId(text: string): boolean {
  return text.length <= 255 && /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)
}
