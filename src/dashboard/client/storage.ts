/** Declared for tests, which are compiled without the browser's types. */
declare const localStorage: {
  getItem(key: string): string | null
  setItem(key: string, text: string): void
}

/** `null`: nothing is stored, or the browser blocks storage. Then even naming `localStorage` throws. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Whether the browser allows it, and has room. */
export function store(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}
