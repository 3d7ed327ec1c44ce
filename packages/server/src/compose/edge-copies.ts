// Opens what a node keeps of the edge's rows, with PostgreSQL: from them an edge serves sites while the database does not answer,
// also if it was started meanwhile. With SQLite the database is on the same disk.
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { databaseRows, type RowSource } from '../core/base/row-source.ts'
import { certificateReader } from '../core/domains/certificates/reader.ts'
import { type SiteReader, siteReader } from '../core/projects/sites.ts'
import type { DataDirectory } from '../data-directory.ts'
import { Copies } from '../edge/copies/copies.ts'
import { CopyFiles, type Owner } from '../edge/copies/copy-files.ts'
import { CursorFile } from '../edge/copies/feed-cursor.ts'
import type { Edge } from '../edge/edge.ts'
import type { Store } from '../store/store.ts'

/** Where the edge's rows come from. */
export interface EdgeRows {
  /** The database. */
  source: RowSource
  /** The copies on the disk. */
  kept?: RowSource
  /** Whether the copies suffice to start without the database. */
  readonly hasCopies: boolean
  /** Copies of what this edge has in memory are kept longest. */
  usedBy(edge: Pick<Edge, 'known'>): void
  close(): Promise<void>
}

/** `undefined` with SQLite, and without the role `edge`. */
export function openFeedCursor(
  settings: Settings,
  { feedCursorFile }: DataDirectory,
  { isEdge, isMain }: { isEdge: boolean; isMain: boolean },
): CursorFile | undefined {
  return isEdge && settings.databaseUrl ? new CursorFile(feedCursorFile, { writes: isMain }) : undefined
}

export function openEdgeRows(
  store: Store,
  { edgeCopiesDir, keyring }: DataDirectory,
  isEdge: boolean,
  log: Logger,
): EdgeRows {
  const { db, changes } = store
  if (!isEdge || store.engine !== 'postgres')
    return {
      source: databaseRows(db),
      hasCopies: false,
      usedBy: () => undefined,
      close: async () => undefined,
    }
  const files = new CopyFiles(edgeCopiesDir, keyring)
  const hasCopies = !files.isEmpty
  const onError = (err: unknown) => log.warn({ err }, 'could not keep copies for a time without the database')
  const copies = new Copies({ files, db, changes, onError })
  const readers = {
    sites: siteReader(copies.keeping),
    certificate: certificateReader(copies.keeping, { keyring }),
  }
  copies.refresh = owner => readAgain(readers, owner)
  return {
    source: copies.keeping,
    kept: copies.kept,
    hasCopies,
    usedBy: edge => {
      copies.inUse = () => ownersIn(edge)
    },
    close: () => copies.close(),
  }
}

interface Readers {
  sites: SiteReader
  certificate: ReturnType<typeof certificateReader>
}

async function readAgain({ sites, certificate }: Readers, { topic, key }: Owner): Promise<unknown> {
  if (topic === 'certificate') return await certificate(key)
  if (topic === 'domain') return await sites.byDomain(key)
  return (await sites.byName(key)) ?? (await sites.byFormerName(key))
}

function* ownersIn({ known }: Pick<Edge, 'known'>): Generator<Owner> {
  for (const key of known.projects) yield { topic: 'project', key }
  for (const key of known.domains) {
    yield { topic: 'domain', key }
    yield { topic: 'certificate', key }
  }
}
