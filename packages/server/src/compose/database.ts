// Opens the database for a start: the store, the other nodes that share it, and the edge's copies of its rows.
import { requirePlatformKey } from '../core/platform/key-check.ts'
import type { DataDirectory } from '../data-directory.ts'
import { hasLatest } from '../store/migrate.ts'
import type { Store } from '../store/store.ts'
import { type EdgeRows, openEdgeRows, openFeedCursor } from './edge-copies.ts'
import { type LateStartup, startWithoutDatabase } from './late-start.ts'
import { type Nodes, openNodes } from './nodes.ts'
import { openStore } from './ports.ts'
import type { ProcessListener } from './process-listener.ts'
import type { PlatformStart } from './start-options.ts'
import type { Succession } from './succession.ts'

export interface OpenedDatabase {
  store: Store
  /** Missing with SQLite, which has only one node. */
  nodes: Nodes | undefined
  edgeRows: EdgeRows
  /** Set if the database does not answer, and the edge serves from its copies until it does. */
  lateStart: LateStartup | undefined
}

export async function openDatabase(
  { settings, log, link, predecessor, stops, has }: PlatformStart,
  data: DataDirectory,
  listening: ProcessListener | undefined,
  succession: Succession,
): Promise<OpenedDatabase> {
  const isEdge = has('edge')
  const cursor = openFeedCursor(settings, data, { isEdge, isMain: !link })
  stops.add(() => cursor?.close())
  const opened = await openStore(settings, data, log, cursor)
  stops.add(() => opened.close())
  const store = listening?.shareChanges(opened) ?? opened
  const nodes = openNodes(settings, data, store, log)
  const edgeRows = openEdgeRows(store, data, isEdge, log)
  stops.add(() => edgeRows.close())
  const prepare = async () => {
    // The svcd before this one does not know the new tables.
    if (succession.isAwaited && !(await hasLatest(store.db, store.engine)))
      await succession.takeOver('migrating')
    const migrations = await store.migrate()
    if (migrations.length > 0 && migrations[0] !== '001_skeleton')
      log.info({ migrations }, 'migrated the database')
    await requirePlatformKey({ store, keyring: data.keyring })
  }
  // Without the database, the svcd before this one goes on.
  const lateStart = await startWithoutDatabase(prepare, edgeRows.hasCopies && !predecessor, log)
  return { store, nodes, edgeRows, lateStart }
}
