// Keys in the format of age (age-encryption.org/v1): sealed for public keys, and opened with the private key of one of them.
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Fault } from '../../../lib/fault.ts'
import { DamagedObject } from './encryption.ts'

const identityBytesAtMost = 64 * 1024

export const identityOption = { identity: { type: 'string' } } as const

export type OpenKey = (sealed: Buffer) => Promise<Buffer>

export async function sealKey(key: Buffer, recipients: readonly string[]): Promise<Buffer> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return Buffer.from(await encrypter.encrypt(Uint8Array.from(key)))
}

/** The private keys in a file that `age-keygen` wrote, or `-` for those on stdin. */
export async function readIdentity(file: string): Promise<OpenKey> {
  const where = file === '-' ? 'stdin' : file
  const text = (file === '-' ? await buffer(process.stdin) : await readFile(file)).toString()
  const keys = text
    .slice(0, identityBytesAtMost)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.startsWith('AGE-SECRET-KEY-1'))
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  try {
    for (const key of keys) decrypter.addIdentity(key)
  } catch {
    throw new Fault('invalid_request', `A private key in ${where} has a typing error.`)
  }
  if (keys.length === 0)
    throw new Fault(
      'invalid_request',
      `There is no private key (AGE-SECRET-KEY-1…) in ${where}. If the file is encrypted, decrypt it first: age -d ${where} | svcd … --identity -`,
    )
  return async sealed => {
    try {
      return Buffer.from(await decrypter.decrypt(Uint8Array.from(sealed)))
    } catch (cause) {
      throw new WrongIdentity(`the private key in ${where} does not open it`, { cause })
    }
  }
}

/** None of the private keys fits, or the sealed key was changed. */
export class WrongIdentity extends DamagedObject {}
