// The key of the lists of backups for public keys. The platform keeps it in its database, so that it can add to the backups and
// remove old ones. It opens no piece.
import { existsSync } from 'node:fs'
import { openStore } from '../../../compose/ports.ts'
import type { Settings } from '../../../config.ts'
import { placeOfBackupKey } from '../../../core/platform/backup-keys.ts'
import { dataPaths } from '../../../data-directory.ts'
import { keySource } from '../../../key-file.ts'
import { Keyring } from '../../../lib/seal.ts'
import { createLog } from '../../../log.ts'
import { findBackupKey, saveBackupKey } from '../../../store/platform/backups.ts'
import type { Db } from '../../../store/store.ts'

export class ListKeys {
  readonly #db: Db
  readonly #keyring: Keyring

  constructor(db: Db, settings: Settings) {
    this.#db = db
    this.#keyring = new Keyring(keySource(settings))
  }

  async find(place: string): Promise<Buffer | undefined> {
    const row = await findBackupKey(this.#db, place)
    return row && Buffer.from(this.#keyring.open(row, placeOfBackupKey(place)), 'base64')
  }

  async save(place: string, key: Buffer): Promise<void> {
    const { sealed, key_id } = this.#keyring.current.seal(key.toString('base64'), placeOfBackupKey(place))
    await saveBackupKey(this.#db, { place, sealed, key_id })
  }
}

/** The key that the platform of these settings has, if there is a platform. */
export async function listKeyOf(settings: Settings, place: string): Promise<Buffer | undefined> {
  const data = dataPaths(settings)
  if (!settings.databaseUrl && !existsSync(data.databaseFile)) return undefined
  const store = await openStore(settings, data, createLog(settings))
  try {
    return await new ListKeys(store.db, settings).find(place)
  } finally {
    await store.close()
  }
}
