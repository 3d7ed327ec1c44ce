// Forgets repositories at other git hosts that no project builds from any more.
import { unusedHostRepositories } from '../../../store/builds/git-hosts.ts'
import { deleteRepository } from '../../../store/builds/repositories.ts'
import type { Platform, Vault } from '../../base/platform.ts'
import { hostedRepository } from './secrets.ts'

/** Repositories that one sweep forgets. */
const atOnce = 20

export async function forgetUnusedHostRepositories(
  platform: Vault & Pick<Platform, 'gitHosts'>,
): Promise<void> {
  const { store, gitHosts } = platform
  for (const row of await unusedHostRepositories(store.db, atOnce)) {
    if (row.kind !== 'public' && row.webhook_id !== null)
      // The host may be gone, or the token. What it goes on sending is refused.
      await gitHosts
        .removeWebhook(hostedRepository(platform, { ...row, kind: row.kind }), row.webhook_id)
        .catch(() => undefined)
    await store.transact(tx => deleteRepository(tx, row.repository_id))
  }
}
