// Looks after the databases of projects.
import type { Logger } from 'pino'
import type { DatabaseParts } from '../core/base/platform.ts'
import { keepDatabases } from '../core/databases/keeping.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import { hasDatabases } from '../store/databases/databases.ts'

/** What is lost at most if the machine is, beside the minute after which a segment of the log ends. */
const archiveIntervalMs = 5_000
/** A database grows for so long before its limit is enforced. */
const measureIntervalMs = 10_000

export const startDatabaseKeeper = (platform: DatabaseParts, log: Logger): ReconcileLoop =>
  new ReconcileLoop({
    reconcile: () => keepDatabases(platform),
    onError: err => log.error({ err }, 'could not look after the databases of the projects'),
    intervalMs: measureIntervalMs,
  }).start()

/** Does nothing while no project has a database. */
export const startDatabaseArchiver = (
  { store }: Pick<DatabaseParts, 'store'>,
  archiveLog: () => Promise<void>,
  log: Logger,
): ReconcileLoop =>
  new ReconcileLoop({
    reconcile: async () => {
      if (await hasDatabases(store.db)) await archiveLog()
    },
    onError: err => log.error({ err }, 'could not archive the log of the databases of the projects'),
    intervalMs: archiveIntervalMs,
  }).start()
