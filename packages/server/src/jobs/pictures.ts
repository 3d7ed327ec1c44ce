// Makes pictures of the sites that went live, one at a time.
import type { Logger } from 'pino'
import type { Rows } from '../core/base/platform.ts'
import { makeNextPicture } from '../core/projects/pictures.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import type { TakePicture } from '../ports/site-picture/port.ts'

const lookEveryMs = 5_000

export function makePictures(platform: Rows, take: TakePicture, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const loop = new ReconcileLoop({
    reconcile: async () => {
      while (!stopping.signal.aborted) {
        const made = await makeNextPicture(platform, take, stopping.signal)
        if (!made) return
        if (made.failed)
          log.warn({ err: made.failed.error, project: made.failed.project }, 'could not make a picture')
      }
    },
    onError: err => log.error({ err }, 'cannot look for sites without a picture'),
    intervalMs: lookEveryMs,
  }).start()
  return {
    async stop() {
      stopping.abort()
      await loop.stop()
    },
  }
}
