// Keeps the bodies of requests on disk until git has read them.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { dayMs } from '@svc/contract/durations'
import type { KeptBody } from './port.ts'

/** Removes what a stop of svcd left behind. A body takes less than a day. */
export async function removeOldBodies(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const file = path.join(dir, name)
    const made = await stat(file).catch(() => undefined) // Another process has removed it.
    if (made && Date.now() - made.mtimeMs > dayMs) await rm(file, { force: true })
  }
}

export async function keepBody(
  dir: string,
  body: AsyncIterable<Buffer>,
  bytesAtMost: number,
): Promise<KeptBody> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = path.join(dir, randomUUID())
  const remove = () => rm(file, { force: true })
  const output = await open(file, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const chunk of body) {
      await output.write(chunk)
      bytes += chunk.length
      if (bytes > bytesAtMost) break
    }
    return { file, bytes, remove }
  } catch (error) {
    await remove()
    throw error
  } finally {
    await output.close()
  }
}
