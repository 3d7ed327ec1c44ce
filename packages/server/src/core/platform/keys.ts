// Key rotation: encrypts every value again with the current key while the platform runs.
import { SealBroken } from '../../lib/seal.ts'
import type { EnvVarId } from '../../store/env/rows.ts'
import {
  nextSealed,
  replaceSeal,
  type SealedRow,
  type SealedTable,
  sealedTables,
} from '../../store/platform/sealed.ts'
import { findProjectById, lockNextProjects } from '../../store/projects/projects.ts'
import type { Vault } from '../base/platform.ts'
import { placeOfHostSecrets } from '../builds/git-hosts/secrets.ts'
import { secretPlace } from '../crons/secret.ts'
import { placeOfDatabase } from '../databases/password.ts'
import { placeOfTlsKey } from '../domains/certificates/private-keys.ts'
import { nameOf, placeOf } from '../env/values.ts'
import { placeOfUserToken } from '../identity/github-user-tokens.ts'
import { placeOfTotp } from '../identity/totp.ts'
import { placeOfSecret } from '../notifications/secret.ts'
import { placeOfBackupKey } from './backup-keys.ts'
import { placeOfSetting } from './stored-settings.ts'

/** All that this needs of the vault. */
const rowsAtOnce = 100
const projectsAtOnce = 50

export interface Unreadable {
  project: string
  key: string
  why: string
}

interface Kind {
  /** What a value is tied to. */
  place(id: readonly string[]): string[]
  /** What people call it. */
  name(id: readonly string[]): string
}

const kinds: Record<SealedTable, Kind> = {
  env_vars: {
    place: id => placeOf(variableOf(id)),
    name: id => nameOf(variableOf(id)),
  },
  cron_secrets: {
    place: ([projectId = '']) => secretPlace(projectId),
    name: () => 'the secret of its scheduled jobs',
  },
  app_databases: {
    place: ([id = '']) => placeOfDatabase(id),
    name: ([id = '']) => `the password of the database ${id}`,
  },
  notification_secrets: {
    place: ([targetId = '']) => placeOfSecret(targetId),
    name: ([targetId = '']) => `the secret of the webhook ${targetId}`,
  },
  tls_keys: {
    place: ([id = '']) => placeOfTlsKey({ id }),
    name: ([id = '']) => `the private key of the ${id}`,
  },
  github_users: {
    place: ([accountId = '']) => placeOfUserToken(accountId),
    name: ([accountId = '']) => `the GitHub token of ${accountId}`,
  },
  git_host_repositories: {
    place: ([repositoryId = '']) => placeOfHostSecrets(repositoryId),
    name: ([repositoryId = '']) => `the access token of ${repositoryId}`,
  },
  totp_secrets: {
    place: ([accountId = '']) => placeOfTotp(accountId),
    name: ([accountId = '']) => `the authenticator app of ${accountId}`,
  },
  operator_settings: {
    place: ([name = '']) => placeOfSetting(name),
    name: ([name = '']) => `the setting ${name}`,
  },
  backup_keys: {
    place: ([place = '']) => placeOfBackupKey(place),
    name: ([place = '']) => `the key of the lists of backups at ${place}`,
  },
}

/** The columns of `sealedTables.env_vars`. */
const variableOf = ([project_id = '', key = '', environment = '', branch = '']: readonly string[]) => ({
  ...{ project_id, key, branch },
  environment: environment as EnvVarId['environment'],
})

const tables = Object.keys(sealedTables) as SealedTable[]

/** Can be interrupted and run again. Every value is always encrypted with either the old or the new key. */
export async function resealAll(vault: Vault, progress: (resealed: number) => void): Promise<void> {
  await awaitWrites(vault)
  const { id: notSealedBy } = vault.keyring.current
  let resealed = 0
  for (const table of tables)
    for await (const rows of pages(vault, table, notSealedBy)) {
      resealed += await reseal(vault, table, rows)
      progress(resealed)
    }
}

/** The values that cannot be decrypted with the current key. There should be none after `resealAll`. */
export async function findUnreadable(vault: Vault): Promise<Unreadable[]> {
  const { current } = vault.keyring
  const found: Unreadable[] = []
  for (const table of tables)
    for await (const rows of pages(vault, table))
      for (const row of rows) {
        const { place, name } = kinds[table]
        const why =
          row.key_id === current.id ? problemOf(() => current.open(row, place(row.id))) : otherKey(row)
        if (why === undefined) continue
        const project = await findProjectById(vault.store.db, row.id[0] ?? '')
        found.push({ project: project?.name ?? 'platform', key: name(row.id), why })
      }
  return found
}

async function* pages(
  { store }: Pick<Vault, 'store'>,
  table: SealedTable,
  notSealedBy?: string,
): AsyncGenerator<SealedRow[]> {
  let after: readonly string[] | undefined
  for (;;) {
    const page = { after, limit: rowsAtOnce, ...(notSealedBy !== undefined && { notSealedBy }) }
    const rows = await nextSealed(store.db, table, page)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.id
  }
}

/**
 * A transaction that encrypts a value of a project locks the project before it takes the current key. So after every project
 * was locked once here, no transaction with an older key is still running.
 */
async function awaitWrites({ store }: Pick<Vault, 'store'>): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    after = await store.transact(tx => lockNextProjects(tx, from, projectsAtOnce))
  }
}

/** A value that cannot be decrypted is left as it is. `findUnreadable` reports it. */
async function reseal({ store, keyring }: Vault, table: SealedTable, rows: SealedRow[]): Promise<number> {
  const { current } = keyring
  const fresh = rows.flatMap(row => {
    const place = kinds[table].place(row.id)
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
    for (const { row, sealed } of fresh) if (await replaceSeal(tx, table, row, sealed)) replaced++
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

const otherKey = ({ key_id }: SealedRow): string => `sealed with the key ${key_id}`
