// All nodes of a platform have the same secret key. A node with another key would seal values that no other node can open.
import { randomUUID } from 'node:crypto'
import { platformId } from '../../store/platform/platform-id.ts'
import { findKeyId, hasForeignSeal, replaceKeyId } from '../../store/platform/platform-key.ts'
import type { Vault } from '../base/platform.ts'

class ForeignKey extends Error {
  constructor(expected: string | undefined, own: readonly string[]) {
    super(
      `the secret key of this node (${own.join(', ')}) is not the key of the platform${expected ? ` (${expected})` : ''}. ` +
        'Copy SVCD_SECRET_KEY, or the file secret.key of the data directory, from a node that runs, and start again. ' +
        'If that key is lost, run `svcd keys adopt`; all values that it sealed have to be set again.',
    )
    this.name = 'ForeignKey'
  }
}

/** Throws if the key is not the platform's. The first node makes its key the platform's, and a rotation replaces it. */
export async function requirePlatformKey(vault: Vault): Promise<void> {
  const { keyring, store } = vault
  const own = keyring.keys.map(({ id }) => id)
  const known = await keyIdOf(vault)
  if (known === keyring.current.id) return
  const isForeign = known === undefined ? await hasForeignSeal(store.db, own) : !own.includes(known)
  if (isForeign) throw new ForeignKey(known, own)
  // Another node may have done the same meanwhile.
  if (!(await replaceKeyId(store.db, keyring.current.id, known))) await requirePlatformKey(vault)
}

/** Makes the key of this node the platform's, after the former one was lost. */
export async function adoptKey(vault: Vault): Promise<void> {
  await replaceKeyId(vault.store.db, vault.keyring.current.id, await keyIdOf(vault))
}

async function keyIdOf({ store }: Vault): Promise<string | undefined> {
  await platformId(store.db, randomUUID)
  return await findKeyId(store.db)
}
