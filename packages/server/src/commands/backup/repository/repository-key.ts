// The key of a repository: random, and stored in the repository itself, encrypted with a key that is made of the passphrase. So a
// passphrase that is guessed offline costs what scrypt costs.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'

/** The fields are bounded, since a hostile repository could ask for all memory. */
const keyRecord = z.strictObject({
  format: z.literal(1),
  kdf: z.literal('scrypt'),
  /** The logarithm of scrypt's N. */
  cost: z.number().int().min(14).max(18),
  parallel: z.number().int().min(1).max(4),
  salt: z.string().max(100),
  nonce: z.string().max(100),
  sealed: z.string().max(200),
})

type KeyRecord = z.infer<typeof keyRecord>

export const keyRecordBytesAtMost = 4096

const cost = { cost: 16, parallel: 2 }
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Returns a new key, and the text that `openKey` opens with the same passphrase. */
export async function makeKey(passphrase: string): Promise<{ key: Buffer; text: string }> {
  const [key, salt, nonce] = [randomBytes(32), randomBytes(32), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt, cost), nonce)
  const sealed = Buffer.concat([cipher.update(key), cipher.final(), cipher.getAuthTag()])
  const record: KeyRecord = {
    ...{ format: 1, kdf: 'scrypt', ...cost },
    ...{ salt: salt.toString('base64'), nonce: nonce.toString('base64'), sealed: sealed.toString('base64') },
  }
  return { key, text: `${JSON.stringify(record)}\n` }
}

/** `damaged` if the text is none that `makeKey` gave, `wrong` if the passphrase is another. */
export async function openKey(text: string, passphrase: string): Promise<Buffer | 'damaged' | 'wrong'> {
  const record = keyRecord.safeParse(parsed(text)).data
  if (!record) return 'damaged'
  const [salt, nonce, sealed] = [record.salt, record.nonce, record.sealed].map(part =>
    Buffer.from(part, 'base64'),
  ) as [Buffer, Buffer, Buffer]
  if (nonce.length !== 12 || sealed.length !== 48) return 'damaged'
  const decipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, salt, record), nonce)
  decipher.setAuthTag(sealed.subarray(32))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, 32)), decipher.final()])
  } catch {
    return 'wrong' // Or somebody changed the record, which cannot be told apart.
  }
}

const keyOf = (
  passphrase: string,
  salt: Buffer,
  { cost, parallel }: Pick<KeyRecord, 'cost' | 'parallel'>,
): Promise<Buffer> =>
  derive(passphrase.normalize('NFC'), salt, 32, {
    ...{ N: 2 ** cost, r: 8, p: parallel },
    maxmem: 2 ** cost * 8 * 128 + 64 * 1024 * 1024,
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The schema refuses it.
  }
}
