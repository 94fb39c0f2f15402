// What a push removes from the screen: contract.md. Not in the page's script.

/** Whether a push removes a notification: its `bellhop`; what is shown, `{ push, tag }`, `null` where that is not known. */
export function isRemoved({ withdrawn, tag }, shown) {
  return withdrawn !== undefined && (shown.push === null ? shown.tag === tag : shown.push === withdrawn)
}
