// The answer to a push: what git says, then the progress of the builds that the push started, then the end.
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rows } from '../../core/base/platform.ts'
import type { Pushed } from '../../core/builds/pushes.ts'
import { buildLog, queuePositions } from '../../core/builds/queue.ts'
import { findBuild } from '../../store/builds/builds.ts'
import { flush, progressPackets, stillThere } from './pkt-lines.ts'

const lookEveryMs = 200
const stillThereEveryMs = 10_000
const tellPlaceEveryMs = 1_000

/**
 * Passes git's output on, but for the final flush packet: after that git listens to nothing more. Returns true if the output
 * ended as it should, and the flush packet is left to send.
 */
export async function sendHoldingEnd(output: Readable, res: ServerResponse): Promise<boolean> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of output as AsyncIterable<Buffer>) {
    const all = Buffer.concat([held, chunk])
    const ready = Math.max(0, all.length - flush.length)
    await write(res, all.subarray(0, ready))
    held = all.subarray(ready)
  }
  const isWhole = held.equals(flush)
  if (!isWhole) await write(res, held)
  return isWhole
}

/** Writes the progress of the builds. The push has succeeded already, and the builds go on if the client disconnects. */
export async function tellProgress(platform: Rows, pushed: Pushed, res: ServerResponse): Promise<void> {
  for (const note of pushed.notes) await writeProgress(res, `${note}\n`)
  for (const { build, project } of pushed.builds) {
    const target = build.is_production === 1 ? 'production' : `branch ${build.branch}`
    await writeProgress(res, `\nBuilding ${project} (${target}), ${build.id}\n`)
    await followBuild(platform, build.id, res)
  }
}

async function followBuild(platform: Rows, id: string, res: ServerResponse): Promise<void> {
  const { db } = platform.store
  let offset = 0
  let place: number | undefined
  let silentMs = 0
  while (res.writable && !res.destroyed) {
    const build = await findBuild(db, id)
    const news = await buildLog(db, id, { offset, timestamps: false })
    offset += news.length
    if (news.length > 0) await writeProgress(res, news.toString('utf8'))
    if (!build || build.finished_at !== null) return
    silentMs = news.length > 0 ? 0 : silentMs + lookEveryMs
    if (build.status === 'queued' && silentMs > 0 && silentMs % tellPlaceEveryMs === 0) {
      const now = (await queuePositions(platform, [build])).get(id)
      if (now !== undefined && now !== place)
        await writeProgress(res, `Waiting in the queue, at place ${now}.\n`)
      place = now
    }
    if (silentMs >= stillThereEveryMs) {
      silentMs = 0
      await write(res, stillThere)
    }
    await sleep(lookEveryMs)
  }
}

async function writeProgress(res: ServerResponse, text: string): Promise<void> {
  for (const bytes of progressPackets(text)) await write(res, bytes)
}

/** Writes, and waits while the client reads slowly. Returns at once if the client has disconnected. */
async function write(res: ServerResponse, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || res.destroyed || !res.writable || res.write(bytes)) return
  await new Promise<void>(resolve => {
    const go = () => {
      res.off('drain', go).off('close', go)
      resolve()
    }
    res.on('drain', go).on('close', go)
  })
}
