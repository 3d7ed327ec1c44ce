// Encrypts what a repository of backups holds, as a stream: chunks of AES-256-GCM, each compressed before if that makes it smaller.
// Every object has a key of its own, so that no nonce is used twice. Its name, the order of its chunks and its end are authenticated.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'
import { ByteReader } from '../../../lib/byte-reader.ts'

const compress = promisify<Buffer, object, Buffer>(deflateRaw)
const decompress = promisify<Buffer, object, Buffer>(inflateRaw)

const magic = Buffer.from('svcdbak1')
/** An object whose key stands before it, sealed for public keys. */
const sealedMagic = Buffer.from('svcdbak2')
const sealedBytesAtMost = 2048
const saltBytes = 32
const tagBytes = 16
/** What one chunk holds before it is compressed. It bounds the memory of readers, also for a hostile repository. */
export const chunkBytes = 1024 * 1024

/** The header of a chunk is the length of its text, and these. */
const isLastFlag = 0x8000_0000
const isCompressedFlag = 0x4000_0000
const headerBytes = 4

/** The content of an object is not what was written. */
export class DamagedObject extends Error {}

/** The keys of an object that is written: `sealed` holds another one, which the reader gets with a private key. */
export interface WritingKeys {
  key: Buffer
  sealed?: { key: Buffer; text: Buffer }
}

export interface ReadingKeys {
  key: Buffer
  open?: (sealed: Buffer) => Promise<Buffer>
}

export async function* encrypted(
  { key, sealed }: WritingKeys,
  name: string,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltBytes)
  const ownKey = keyOf(sealed ? Buffer.concat([key, sealed.key]) : key, salt, name)
  yield Buffer.concat(sealed ? [sealedMagic, lengthOf(sealed.text), sealed.text, salt] : [magic, salt])
  let number = 0
  let previous: Buffer | undefined
  for await (const chunk of inChunks(content)) {
    if (previous) yield await seal(ownKey, number++, previous, false)
    previous = chunk
  }
  yield await seal(ownKey, number, previous ?? Buffer.alloc(0), true)
}

/** Throws DamagedObject. What it yields before is authentic, but may be incomplete. */
export async function* decrypted(
  keys: ReadingKeys,
  name: string,
  stored: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(stored)
  const key = await keyBefore(reader, keys)
  const ownKey = keyOf(key, await exactly(reader, saltBytes), name)
  for (let number = 0; ; number++) {
    const header = await exactly(reader, headerBytes)
    const fields = header.readUInt32BE()
    const length = fields & (isCompressedFlag - 1)
    if (length > chunkBytes) throw new DamagedObject('a part of it is too long')
    const sealed = await exactly(reader, length + tagBytes)
    const text = open(ownKey, number, header, sealed)
    yield (fields & isCompressedFlag) === 0 ? text : await expand(text)
    if (fields >= isLastFlag) break
  }
  if (!(await reader.isAtEnd())) throw new DamagedObject('it goes on after its end')
}

async function keyBefore(reader: ByteReader, { key, open }: ReadingKeys): Promise<Buffer> {
  const head = await exactly(reader, magic.length)
  if (open === undefined && head.equals(magic)) return key
  if (open === undefined || !head.equals(sealedMagic))
    throw new DamagedObject('it is not an object of a backup')
  const length = (await exactly(reader, 2)).readUInt16BE()
  if (length > sealedBytesAtMost) throw new DamagedObject('its key is too long')
  return Buffer.concat([key, await open(await exactly(reader, length))])
}

function lengthOf(text: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return length
}

/** What the readers of the storage say about an object that is too short is damage, too. */
async function exactly(reader: ByteReader, length: number): Promise<Buffer> {
  const bytes = await reader.read(length)
  if (bytes === undefined) throw new DamagedObject('it was cut off')
  return bytes
}

const keyOf = (key: Buffer, salt: Buffer, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `object ${name}`, 32))

async function seal(key: Buffer, number: number, chunk: Buffer, isLast: boolean): Promise<Buffer> {
  const small = await compress(chunk, { level: constants.Z_BEST_SPEED })
  const isCompressed = small.length < chunk.length
  const text = isCompressed ? small : chunk
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(text.length + (isLast ? isLastFlag : 0) + (isCompressed ? isCompressedFlag : 0))
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number)).setAAD(header)
  return Buffer.concat([header, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer, number: number, header: Buffer, sealed: Buffer): Buffer {
  const end = sealed.length - tagBytes
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number), { authTagLength: tagBytes })
  decipher.setAAD(header).setAuthTag(sealed.subarray(end))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()])
  } catch (cause) {
    throw new DamagedObject('its content was changed', { cause })
  }
}

async function expand(text: Buffer): Promise<Buffer> {
  try {
    return await decompress(text, { maxOutputLength: chunkBytes })
  } catch (cause) {
    throw new DamagedObject('it cannot be decompressed', { cause })
  }
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 8)
  return nonce
}

async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(content)
  for (;;) {
    const chunk = await reader.readAtMost(chunkBytes)
    if (chunk.length > 0) yield chunk
    if (chunk.length < chunkBytes) return
  }
}
