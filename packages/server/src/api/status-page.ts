// The status page at status.<domain>: shows the answer of /health to people.

import type { Platform } from '../core/base/platform.ts'
import { checkHealth } from '../core/platform/health.ts'
import { Fault } from '../lib/fault.ts'
import { escapeHtml } from '../lib/html.ts'
import { answerPage } from './own-page.ts'
import type { HttpHandler } from './server.ts'

export function createStatusPage(platform: Pick<Platform, 'lateStart' | 'packs' | 'store'>): HttpHandler {
  return (_req, res) => {
    checkHealth(platform).then(
      () =>
        answerPage(
          res,
          200,
          'Status: all good',
          '<h1 class="good">Everything works</h1><p>The database and the storage answer.</p>',
        ),
      (error: unknown) => {
        const words = error instanceof Fault ? error.message : 'A check failed.'
        answerPage(
          res,
          503,
          'Status: trouble',
          `<h1 class="bad">There is a problem</h1><p>${escapeHtml(words)}</p>`,
        )
      },
    )
  }
}
