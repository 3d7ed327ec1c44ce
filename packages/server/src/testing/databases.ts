// The databases that the tests of a file run on: both. `npm test` leaves out PostgreSQL for the files named here, unless it is
// called with `--all`. Vitest called directly leaves out nothing.
import { expect } from 'vitest'
import type { Engine } from '../store/store.ts'

/**
 * Every kind of query that these send is sent to PostgreSQL by other test files, too: that was seen by recording the queries of all
 * files. Tests of races, and those of the store itself, run on both.
 */
const onSqliteByDefault = [
  'api/access',
  'api/admin-checks',
  'api/ai/gateway',
  'api/ai/stored',
  'api/billing',
  'api/billing-invoices',
  'api/billing-profile',
  'api/billing-time',
  'api/branches',
  'api/build-cache',
  'api/build-files',
  'api/build-generators',
  'api/build-languages',
  'api/build-limits',
  'api/build-minutes',
  'api/build-settings',
  'api/build-sources',
  'api/builds',
  'api/connection',
  'api/cron-schedule',
  'api/crons',
  'api/described',
  'api/domain-ownership',
  'api/domain-redirects',
  'api/domains',
  'api/env-targets',
  'api/fair-shares',
  'api/git/forge',
  'api/git/head',
  'api/git/orphans',
  'api/git/push-answer',
  'api/github-access',
  'api/github-replays',
  'api/installations',
  'api/invites',
  'api/known-hosts',
  'api/members',
  'api/notifications',
  'api/password-reset',
  'api/preview-links',
  'api/projects',
  'api/projects-from-git',
  'api/pushes',
  'api/rename',
  'api/revalidation',
  'api/server-builds',
  'api/shares',
  'api/single-page-builds',
  'api/stats',
  'api/stats-breakdown',
  'api/stats-flood',
  'api/templates',
  'api/token-life',
  'api/unchanged-files',
  'api/workspace-pushes',
  'builder/abandoned',
  'commands/users',
  'core/apps/running-limits',
  'core/deployments/archive/disk-names',
  'edge/gate/members',
  'edge/gate/password',
  'edge/proxy/real-app',
  'runner/frameworks',
  'runner/notes',
  'runner/release',
  'runner/runner',
  'runner/start-script',
  'runner/starts',
  'runner/switch',
  'runner/usage',
]

/** `npm test` sets it. */
const isShortRun = process.env.SVC_TEST_RUN === 'short'

/** To be called while Vitest collects the tests of a file: `describe.each(databases())('on %s', engine => …)`. */
export function databases(): readonly Engine[] {
  const file = expect.getState().testPath ?? ''
  const isShort = isShortRun && onSqliteByDefault.some(name => file.endsWith(`/server/dist/${name}.test.js`))
  return isShort ? ['sqlite'] : ['sqlite', 'postgres']
}
