// The refs of repositories on the storage.
import type { RefUpdate } from '../../ports/git-repos/port.ts'
import type { Db, Tx } from '../store.ts'

/** Databases limit how many values one statement may have. */
const atOnce = 1_000

export async function refsOf(db: Db, id: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('repository_refs')
    .select(['ref', 'sha'])
    .where('repository_id', '=', id)
    .execute()
  return new Map(rows.map(({ ref, sha }) => [ref, sha]))
}

export async function countRefs(db: Db, id: string): Promise<number> {
  const row = await db
    .selectFrom('repository_refs')
    .select(eb => eb.fn.countAll().as('count'))
    .where('repository_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/**
 * Why the refs cannot change so: one was changed by another push. `isNewer` says that the repository has changed since git
 * compared the names: `a` cannot exist beside `a/b`.
 */
export async function whyRefsClash(
  tx: Tx,
  id: string,
  updates: readonly RefUpdate[],
  isNewer: boolean,
): Promise<string | undefined> {
  for (const some of chunksOf(updates)) {
    const rows = await tx
      .selectFrom('repository_refs')
      .select(['ref', 'sha'])
      .where('repository_id', '=', id)
      .where(
        'ref',
        'in',
        some.map(({ ref }) => ref),
      )
      .execute()
    const present = new Map(rows.map(({ ref, sha }) => [ref, sha]))
    const stale = some.find(({ ref, from }) => present.get(ref) !== from)
    if (stale) return `Another push has changed ${stale.ref} first. Fetch, and push again.`
  }
  const made = updates.filter(({ from, to }) => from === undefined && to !== undefined)
  if (!isNewer || made.length === 0) return undefined
  const gone = new Set(updates.flatMap(({ ref, to }) => (to === undefined ? ref : [])))
  const names = [...(await refsOf(tx, id)).keys()].filter(name => !gone.has(name))
  const folders = new Set(names.flatMap(foldersOf))
  const taken = new Set(names)
  const clash = made.find(({ ref }) => folders.has(ref) || foldersOf(ref).some(name => taken.has(name)))
  return clash && `Another push has made a ref whose name excludes ${clash.ref}. Fetch, and push again.`
}

/** `a/b/c` is in `a` and `a/b`. */
function foldersOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
}

export async function changeRefs(tx: Tx, id: string, updates: readonly RefUpdate[]): Promise<void> {
  const gone = updates.flatMap(({ ref, to }) => (to === undefined ? ref : []))
  for (const refs of chunksOf(gone))
    await tx.deleteFrom('repository_refs').where('repository_id', '=', id).where('ref', 'in', refs).execute()
  const moved = updates.flatMap(({ ref, to }) =>
    to === undefined ? [] : { repository_id: id, ref, sha: to },
  )
  for (const rows of chunksOf(moved))
    await tx
      .insertInto('repository_refs')
      .values(rows)
      .onConflict(c =>
        c.columns(['repository_id', 'ref']).doUpdateSet(eb => ({ sha: eb.ref('excluded.sha') })),
      )
      .execute()
}

function* chunksOf<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += atOnce) yield items.slice(at, at + atOnce)
}
