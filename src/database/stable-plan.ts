/**
 * SQL with a plus before each parameter, which changes neither its value nor its type (sqlite.org/lang_expr, "Operators").
 * Without it SQLite looks at what is bound and compiles the statement anew whenever that changes, since for another value
 * another plan may be better (sqlite.org/c3ref/c_dbconfig_defensive, "SQLITE_DBCONFIG_ENABLE_QPSG"): 100 µs in place of 20
 * for a page of devices. Its plan has to do for any value, then.
 */
export function stablePlan(sql: string): string {
  return sql.replaceAll(LITERAL_OR_PARAMETER, (found) => (found === '?' ? '+?' : found))
}

const LITERAL_OR_PARAMETER = /'[^']*'|\?/g
