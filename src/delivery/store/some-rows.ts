/** Ends a DELETE or UPDATE of at most so many rows, the last parameter. */
export const someOf = (from: string, key: string, where: string): string =>
  `WHERE (${key}) IN (SELECT ${key} ${from} WHERE ${where} LIMIT ?)`

export const someResults = (where: string, index = ''): string =>
  someOf(`FROM push_exception ${index}`, 'push, platform, device', where)
