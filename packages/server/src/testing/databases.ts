// The databases that the tests of a file run on: both. `npm test` leaves out PostgreSQL for the files named here, unless it is
// called with `--all`. Vitest called directly leaves out nothing.
import { expect } from 'vitest'
import type { Engine } from '../store/store.ts'

/**
 * These take long because they build sites or start programs. Other test files send the same queries to PostgreSQL, and run
 * the same transactions side by side.
 */
const onSqliteByDefault = [
  'api/billing-time',
  'api/builds',
  'api/deploy-hooks',
  'api/git/forge',
  'api/promote',
  'api/server-builds',
  'commands/users',
  'runner/frameworks',
  'runner/notes',
  'runner/runner',
  'runner/start-script',
  'runner/switch',
]

/** `npm test` sets it. */
const isShortRun = process.env.SVC_TEST_RUN === 'short'

/** To be called while Vitest collects the tests of a file: `describe.each(databases())('on %s', engine => …)`. */
export function databases(): readonly Engine[] {
  const file = expect.getState().testPath ?? ''
  const isShort = isShortRun && onSqliteByDefault.some(name => file.endsWith(`/server/dist/${name}.test.js`))
  return isShort ? ['sqlite'] : ['sqlite', 'postgres']
}
