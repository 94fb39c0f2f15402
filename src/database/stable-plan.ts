/**
 * SQL with a plus before each parameter, which changes neither its value nor its type (sqlite.org/lang_expr,
 * "Operators"). Without it SQLite compiles the statement again whenever a bound value changes, looking for a better
 * plan (sqlite.org/c3ref/c_dbconfig_defensive, "SQLITE_DBCONFIG_ENABLE_QPSG"): 100 µs instead of 20 for a page of
 * devices.
 */
export function stablePlan(sql: string): string {
  return sql.replaceAll(LITERAL_OR_PARAMETER, (found) => (found === '?' ? '+?' : found))
}

const LITERAL_OR_PARAMETER = /'[^']*'|\?/g
