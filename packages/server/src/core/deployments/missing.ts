// Finds out which files of an upload the platform already has. It searches only deployments of the same project, so that
// nobody learns what others have deployed.
import { fileSources } from '../../store/deployments/parts.ts'
import type { Platform, Rows } from '../base/platform.ts'

/** How many deployments are searched. An upload searches more, because others may be published after the client asked. */
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
