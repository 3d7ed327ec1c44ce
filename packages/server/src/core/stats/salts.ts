// The salt of a day, created by the first edge that needs it. Its row is deleted after the day. Half of the secret is derived
// from the instance's key, so that the database alone cannot identify a visitor.
import { randomBytes } from 'node:crypto'
import type { Secret } from '../../lib/secret.ts'
import { insertSalt, readSalt } from '../../store/stats/salts.ts'
import type { Db } from '../../store/store.ts'

export function saltsOf(db: Db, key: Secret): (day: number) => Promise<string> {
  let known: { day: number; salt: string } | undefined
  return async day => {
    if (known?.day === day) return known.salt
    await insertSalt(db, { day, salt: randomBytes(32).toString('base64url') })
    const salt = `${await readSalt(db, day)}${key.reveal()}`
    if (known === undefined || day > known.day) known = { day, salt }
    return salt
  }
}
