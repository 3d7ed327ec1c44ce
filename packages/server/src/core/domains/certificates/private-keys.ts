// Private TLS keys in the database: encrypted, and bound to their certificate or order.
import { Secret } from '../../../lib/secret.ts'
import { addTlsKey, findTlsKey } from '../../../store/domains/tls-keys.ts'
import type { TlsKeyRow } from '../../../store/tables.ts'
import type { Vault } from '../../base/platform.ts'

export const keyIds = {
  /** The key of the certificate that is shown. The store joins on this form. */
  certificate: (name: string): string => `certificate ${name}`,
  /** The key of the certificate that is being ordered. */
  order: (name: string): string => `order ${name}`,
  account: (directory: string): string => `account ${directory}`,
}

export const placeOfTlsKey = ({ id }: Pick<TlsKeyRow, 'id'>): string[] => ['tls_keys', id]

export function sealTlsKey(
  { keyring }: Pick<Vault, 'keyring'>,
  id: string,
  { domain, project_id }: Pick<TlsKeyRow, 'domain' | 'project_id'>,
  key: Secret,
): TlsKeyRow {
  return { id, domain, project_id, ...keyring.current.seal(key.reveal(), placeOfTlsKey({ id })) }
}

export async function openTlsKey({ store, keyring }: Vault, id: string): Promise<Secret | undefined> {
  const row = await findTlsKey(store.db, id)
  return row && new Secret(keyring.open(row, placeOfTlsKey(row)))
}

/** The key with this id. The first caller creates it, and all others get the same one. */
export async function openOrMakeTlsKey(
  vault: Vault,
  id: string,
  make: () => Promise<Secret>,
): Promise<Secret> {
  const known = await openTlsKey(vault, id)
  if (known) return known
  await addTlsKey(vault.store.db, sealTlsKey(vault, id, { domain: null, project_id: null }, await make()))
  const key = await openTlsKey(vault, id)
  if (!key) throw new Error(`the key '${id}' was removed while it was made`)
  return key
}
