// The databases that the tests of a file run on: both. `npm test` leaves out PostgreSQL for the files named here, unless it is
// called with `--all`. Vitest called directly leaves out nothing.
import { expect } from 'vitest'
import type { Engine } from '../store/store.ts'

/**
 * Most of these take long because they build sites or start programs. Other test files send their queries to PostgreSQL, too: that
 * was seen by comparing the queries of all files.
 */
const onSqliteByDefault = [
  'api/billing-invoices',
  'api/billing-time',
  'api/branches',
  'api/build-cache',
  'api/build-files',
  'api/build-limits',
  'api/build-minutes',
  'api/build-settings',
  'api/build-sources',
  'api/connection',
  'api/fair-shares',
  'api/git/forge',
  'api/git/head',
  'api/git/push-answer',
  'api/github-access',
  'api/github-replays',
  'api/projects-from-git',
  'api/rename',
  'api/revalidation',
  'api/server-builds',
  'api/stats',
  'api/stats-flood',
  'api/workspace-pushes',
  'commands/users',
  'edge/gate/members',
  'runner/frameworks',
  'runner/notes',
  'runner/runner',
  'runner/start-script',
  'runner/starts',
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
