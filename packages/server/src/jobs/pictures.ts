// Makes pictures of the sites that went live, one at a time.
import type { Logger } from 'pino'
import type { Rows } from '../core/base/platform.ts'
import { makeNextPicture } from '../core/projects/pictures.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import type { TakePicture } from '../ports/site-picture/port.ts'

const lookEveryMs = 5_000

export function makePictures(platform: Rows, take: TakePicture, log: Logger): ReconcileLoop {
  return new ReconcileLoop({
    async reconcile(stopping) {
      while (!stopping.aborted) {
        const made = await makeNextPicture(platform, take, stopping)
        if (!made) return
        if (made.failed)
          log.warn({ err: made.failed.error, project: made.failed.project }, 'could not make a picture')
      }
    },
    onError: err => log.error({ err }, 'cannot look for sites without a picture'),
    intervalMs: lookEveryMs,
  }).start()
}
