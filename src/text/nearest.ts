/** ` Did you mean serve?`, or nothing. */
export function suggestion(text: string, candidates: readonly string[]): string {
  const candidate = nearest(text, candidates)
  return candidate === null ? '' : ` Did you mean ${candidate}?`
}

const MAX_EDITS = 2

/** Corrects a misspelling; `null`: nothing is near. */
export function nearest(text: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    // Each character more or less is an edit, and a stranger's text may be as long as a body.
    .filter((candidate) => Math.abs(candidate.length - text.length) <= MAX_EDITS)
    .map((candidate) => ({ candidate, edits: editsBetween(text.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best !== undefined && best.edits <= Math.min(MAX_EDITS, Math.max(1, text.length / 3)) ? best.candidate : null
}

/** Counts added, dropped, replaced and swapped characters (optimal string alignment, after Damerau 1964). */
function editsBetween(a: string, b: string): number {
  const first = Array.from({ length: b.length + 1 }, (_, column) => column)
  const rows = [first]
  for (let line = 1; line <= a.length; line += 1) {
    const [above, beyond] = [rows[line - 1] ?? [], rows[line - 2] ?? []]
    const row = [line]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1)
      const edits = [replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1]
      if (a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1])
        edits.push((beyond[column - 2] ?? a.length) + 1)
      row.push(Math.min(...edits))
    }
    rows.push(row)
  }
  return rows[a.length]?.[b.length] ?? 0
}
