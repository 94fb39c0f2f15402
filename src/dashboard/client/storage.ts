/** Tests compile this file without the browser's types. */
declare const localStorage: {
  getItem(key: string): string | null
  setItem(key: string, text: string): void
}

/** `null`: nothing is stored, or storage is blocked. Even naming `localStorage` throws then. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** `false`: storage is blocked or full. */
export function store(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}
