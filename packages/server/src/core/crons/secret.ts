// The secret with which requests of scheduled jobs are signed. It is created on first use.
import { Fault } from '../../lib/fault.ts'
import { newSecret } from '../../lib/ids.ts'
import { Secret } from '../../lib/secret.ts'
import { findCronSecret, insertCronSecret } from '../../store/crons/crons.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Vault } from '../base/platform.ts'

/** The place that the encrypted secret is bound to. It cannot be decrypted for another project. */
export const secretPlace = (projectId: string): string[] => ['cron-secret', projectId]

export async function cronSecretOf(vault: Vault, projectId: string): Promise<Secret> {
  const { store, keyring } = vault
  const row = (await findCronSecret(store.db, projectId)) ?? (await makeSecret(vault, projectId))
  return new Secret(keyring.open(row, secretPlace(projectId)))
}

/** Locks the project first and chooses the key afterwards, so that a key rotation can wait for this. */
async function makeSecret({ store, keyring }: Vault, projectId: string) {
  return await store.transact(async tx => {
    if (!(await lockProject(tx, projectId)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const known = await findCronSecret(tx, projectId)
    if (known) return known
    const row = { project_id: projectId, ...keyring.current.seal(newSecret(), secretPlace(projectId)) }
    await insertCronSecret(tx, row)
    return row
  })
}
