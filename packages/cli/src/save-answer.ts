// Writes a file that the platform sends. Until it is complete, it has another name.
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Failure, fileFailure } from './failure.ts'

/** Only its owner may read it. */
export async function saveAnswer({ body }: Response, file: string): Promise<void> {
  const part = `${file}.part`
  try {
    if (!body) throw new Failure('The platform sent nothing.')
    const content = Readable.fromWeb(body as ReadableStream)
    await pipeline(content, createWriteStream(part, { flags: 'wx', mode: 0o600 }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error instanceof Failure ? error : fileFailure('write', file, error)
  }
}
