// Compresses a file for a request that arrives before the variants of its deployment exist. They are made after the
// deployment goes live, which takes a moment.
import { createHash } from 'node:crypto'
import { isCompressible, isWorthKeeping } from '../core/deployments/archive/compressible.ts'
import type { Coding } from '../core/deployments/archive/variants.ts'
import type { ChosenFile } from './choose.ts'
import { compressWhole } from './compression/compress-whole.ts'
import type { Preference } from './encodings.ts'

interface EarlyVariant {
  chosen: ChosenFile
  body: Buffer
}

const MB = 1024 * 1024
/** Larger files are sent uncompressed until their variants exist. */
const largestBytes = 1 * MB
/** Larger files are not sent to clients that refuse uncompressed ones, until their variants exist. */
const largestRefused = 32 * MB
/** The thread pool also reads files, so compressing takes only a part of it. */
const atOnce = 2

export class EarlyVariants {
  readonly #underWay = new Map<string, Promise<EarlyVariant | undefined>>()

  /**
   * Compresses a file in the coding that the client prefers. Requests with the same key share the work. Returns `undefined` if
   * the file is to be sent as it is, and `busy` if this is so only because too many others are being compressed. A client that
   * refuses the file as it is waits.
   */
  async make(
    key: string,
    chosen: ChosenFile,
    { codings: [coding] }: Preference,
  ): Promise<EarlyVariant | 'busy' | undefined> {
    const { file, isRefused = false } = chosen
    if (coding === undefined || chosen.coding !== undefined) return undefined
    if (file.size > (isRefused ? largestRefused : largestBytes) || !isCompressible(file)) return undefined
    for (;;) {
      const underWay = this.#underWay.get(key)
      if (underWay !== undefined) return await underWay
      if (this.#underWay.size < atOnce) break
      if (!isRefused) return 'busy'
      await Promise.race(this.#underWay.values()).catch(() => undefined) // The request that began this work reports the error.
    }
    const making = makeVariant(chosen, coding).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, making)
    return await making
  }
}

async function makeVariant(chosen: ChosenFile, coding: Coding): Promise<EarlyVariant | undefined> {
  const { file, source } = chosen
  const body = await compressWhole[coding](await source.read(file))
  if (!isWorthKeeping(body.length, file.size)) return undefined
  const sha256 = createHash('sha256').update(body).digest('hex')
  const stored = { path: file.path, offset: 0, size: body.length, sha256 }
  return { chosen: { ...chosen, stored, coding }, body }
}
