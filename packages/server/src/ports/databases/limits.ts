// What one database may take of the server. A role can change its own settings, so those that it could lift are the defaults
// alone, and `endLong` enforces the longest time.

/** Set by the superuser. A role cannot change these. */
export const lockedSettings = { temp_file_limit: '512MB' }

/** The defaults of a session, which a role may change. */
export const defaultSettings = {
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '60s',
  lock_timeout: '30s',
}

/** No statement and no idle transaction of a role takes longer, whatever its session says. */
export const longestStatementSeconds = 15 * 60
export const longestIdleSeconds = 5 * 60

/**
 * A transaction that stays open keeps what all databases of a server share from being tidied: numbers of transactions, of which it stops
 * when two billion are in use, and notifications. Longer than a restore may take. Dumps of svcd may take longer.
 */
export const longestTransactionSeconds = 90 * 60
/** PostgreSQL tidies a database by itself at a fifth of that. Then sessions with temporary tables are in the way, and end. */
export const oldestTransaction = 1_000_000_000

/** The extensions that a role may create: those that PostgreSQL calls trusted, without programming languages. */
export const extensions = [
  ...['btree_gin', 'btree_gist', 'citext', 'cube', 'dict_int', 'fuzzystrmatch', 'hstore', 'intarray', 'isn'],
  ...['lo', 'ltree', 'pg_trgm', 'pgcrypto', 'plpgsql', 'seg', 'tablefunc', 'tcn', 'tsm_system_rows'],
  ...['tsm_system_time', 'unaccent', 'uuid-ossp'],
]
