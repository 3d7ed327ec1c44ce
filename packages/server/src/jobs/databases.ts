// Looks after the databases of projects.
import type { Logger } from 'pino'
import type { DatabaseParts } from '../core/base/platform.ts'
import { keepDatabases } from '../core/databases/keeping.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

/** A database grows for so long before its limit is enforced. */
const measureIntervalMs = 10_000

export const startDatabaseKeeper = (platform: DatabaseParts, log: Logger): ReconcileLoop =>
  new ReconcileLoop({
    reconcile: () => keepDatabases(platform),
    onError: err => log.error({ err }, 'could not look after the databases of the projects'),
    intervalMs: measureIntervalMs,
  }).start()
