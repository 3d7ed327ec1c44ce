// Tells the edge that a site changed.
import { currentName } from '../../store/projects/former-names.ts'
import type { Changed, Tx } from '../../store/store.ts'

/** Under the name that the project has now: it may have been renamed since the caller read it. */
export async function siteChanged(
  tx: Tx,
  changed: Changed,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await changed({ topic: 'project', key: (await currentName(tx, id)) ?? name })
}
