// Which files of an upload the platform has already. Only deployments of the same project are looked at, so that nobody
// learns what others have deployed.
import { fileSources } from '../../store/deployments/parts.ts'
import type { Platform, Rows } from '../platform/platform.ts'

/** Deployments that are looked at. An upload looks at more, since others may be published after the client asked. */
const askedSources = 5
const uploadSources = 10

export const sourcesOfUpload = ({ store, clock }: Rows, projectId: string): Promise<string[]> =>
  fileSources(store.db, projectId, clock.now(), uploadSources)

export async function missingFiles(
  platform: Rows & Pick<Platform, 'findMissing'>,
  projectId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const sources = await fileSources(platform.store.db, projectId, platform.clock.now(), askedSources)
  return await platform.findMissing(hashes, sources)
}
