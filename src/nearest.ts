/** ` Did you mean serve?`, or nothing. */
export function suggestion(text: string, candidates: readonly string[]): string {
  const candidate = nearest(text, candidates)
  return candidate === null ? '' : ` Did you mean ${candidate}?`
}

/** The candidate that `text` is most likely a misspelling of; `null` when none is near. */
function nearest(text: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(text.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best !== undefined && best.edits <= Math.min(2, Math.max(1, text.length / 3)) ? best.candidate : null
}

/** Levenshtein distance: characters to add, drop or replace. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of Array.from(a).entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
