// Keeps the operator's key out of what clients see, should a provider repeat it.
import type { AiUpstream } from '../../core/ai/upstreams.ts'

/** A shorter key is not a secret, such as the `none` of a local provider, and may be a part of ordinary words. */
const shortestKey = 8

const secretOf = ({ key }: AiUpstream): string | undefined => {
  const text = key?.reveal()
  return text !== undefined && text.length >= shortestKey ? text : undefined
}

export function redactKey(text: string, upstream: AiUpstream): string {
  const secret = secretOf(upstream)
  return secret === undefined ? text : text.replaceAll(secret, '[key]')
}

const asterisk = 42
const nothing = Buffer.alloc(0)

/**
 * Overwrites the key in an answer that passes in parts. The length stays. The end of a part that may be the beginning of the key
 * is held until the next part comes.
 */
export class StreamRedactor {
  readonly #key: Buffer | undefined
  #held: Buffer = nothing

  constructor(upstream: AiUpstream) {
    const secret = secretOf(upstream)
    this.#key = secret === undefined ? undefined : Buffer.from(secret)
  }

  push(chunk: Buffer): Buffer {
    const key = this.#key
    if (key === undefined || chunk.length === 0) return chunk
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const clean = overwrite(bytes, key)
    const passed = clean.length - beginningAtEnd(clean, key)
    this.#held = clean.subarray(passed)
    return clean.subarray(0, passed)
  }

  end(): Buffer {
    const rest = this.#held
    this.#held = nothing
    return rest
  }
}

function overwrite(bytes: Buffer, key: Buffer): Buffer {
  let at = bytes.indexOf(key)
  if (at < 0) return bytes
  const clean = Buffer.from(bytes)
  for (; at >= 0; at = clean.indexOf(key, at + key.length)) clean.fill(asterisk, at, at + key.length)
  return clean
}

/** The length of the longest beginning of the key with which the bytes end. */
function beginningAtEnd(bytes: Buffer, key: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(key.subarray(0, length))) return length
  return 0
}
