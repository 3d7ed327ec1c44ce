// Rotation of the keys: every value is sealed anew with the current key, while the platform runs.
import { SealBroken } from '../lib/seal.ts'
import { type EnvPosition, nextEnvRows, replaceSeal } from '../store/env.ts'
import { lockNextProjects } from '../store/projects.ts'
import type { EnvVarRow } from '../store/tables.ts'
import { placeOf } from './env.ts'
import type { Platform } from './platform.ts'

/** All that this needs of the vault. */
type Vault = Pick<Platform, 'store' | 'keyring'>

const rowsAtOnce = 100
const projectsAtOnce = 50

export interface Unreadable {
  project: string
  key: string
  why: string
}

/** Can be cut off anywhere and run again: a value is at every moment sealed with the one key or with the other. */
export async function resealAll(vault: Vault, progress: (resealed: number) => void): Promise<void> {
  await awaitWrites(vault)
  const { id: notSealedBy } = vault.keyring.current
  let resealed = 0
  let after: EnvPosition | undefined
  for (;;) {
    const rows = await nextEnvRows(vault.store.db, { after, limit: rowsAtOnce, notSealedBy })
    if (rows.length === 0) return
    resealed += await reseal(vault, rows)
    progress(resealed)
    after = rows.at(-1)
  }
}

/** Every value that does not open with the current key; they should be none once all were sealed anew. */
export async function findUnreadable(vault: Vault): Promise<Unreadable[]> {
  const { current } = vault.keyring
  const found: Unreadable[] = []
  let after: EnvPosition | undefined
  for (;;) {
    const rows = await nextEnvRows(vault.store.db, { after, limit: rowsAtOnce })
    if (rows.length === 0) return found
    for (const row of rows) {
      const why = row.key_id === current.id ? problemOf(() => current.open(row, placeOf(row))) : otherKey(row)
      if (why !== undefined) found.push({ project: row.project_name, key: row.key, why })
    }
    after = rows.at(-1)
  }
}

/**
 * Whoever sets a variable holds its project and then takes the current key. So once every project has been held
 * here, nothing is under way any more that an older key sealed.
 */
async function awaitWrites({ store }: Vault): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    after = await store.transact(tx => lockNextProjects(tx, from, projectsAtOnce))
  }
}

/** What cannot be opened stays as it is, for findUnreadable to name. */
async function reseal({ store, keyring }: Vault, rows: EnvVarRow[]): Promise<number> {
  const { current } = keyring
  const fresh = rows.flatMap(row => {
    const place = placeOf(row)
    let value: string
    try {
      value = keyring.open(row, place)
    } catch (error) {
      if (error instanceof SealBroken) return []
      throw error
    }
    const sealed = current.seal(value, place)
    if (current.open(sealed, place) !== value) throw new Error('a value sealed anew does not open')
    return [{ row, sealed }]
  })
  return await store.transact(async tx => {
    let replaced = 0
    for (const { row, sealed } of fresh) if (await replaceSeal(tx, row, sealed)) replaced++
    return replaced
  })
}

function problemOf(open: () => string): string | undefined {
  try {
    open()
    return undefined
  } catch (error) {
    if (error instanceof SealBroken) return error.message
    throw error
  }
}

const otherKey = ({ key_id }: EnvVarRow): string => `sealed with the key ${key_id}`
