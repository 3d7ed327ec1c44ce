// Keeps certificates in order: looks when a row changes and every few seconds, one round at a time.
import type { Logger } from 'pino'
import type { Issuing } from '../core/certificates/issue.ts'
import { reconcileCertificates } from '../core/certificates/reconcile.ts'
import type { Platform } from '../core/platform.ts'

const lookEveryMs = 2_000
const graceMs = 1_000

export interface CertificateLoop {
  stop(): Promise<void>
}

export function keepCertificates(platform: Platform, issuing: Issuing, log: Logger): CertificateLoop {
  let stopped = false
  let working: Promise<void> | undefined
  const onError = (err: unknown, name: string) =>
    log.error({ err, name }, 'a certificate could not be issued')

  const wake = (): void => {
    if (stopped) return
    working ??= round().finally(() => {
      working = undefined
    })
  }

  async function round(): Promise<void> {
    try {
      while (!stopped && (await reconcileCertificates(platform, issuing, onError)) > 0);
    } catch (err) {
      log.error({ err }, 'certificates cannot be looked at')
    }
  }

  const timer = setInterval(wake, lookEveryMs).unref()
  const unsubscribe = platform.store.changes.subscribe(({ topic }) => {
    if (topic === 'domain' || topic === 'certificate' || topic === 'everything') wake()
  })
  wake()

  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      unsubscribe()
      // What is under way at the authority can take a minute; its claim runs out, and the next start goes on with it.
      await Promise.race([working, new Promise(resolve => setTimeout(resolve, graceMs).unref())])
    },
  }
}
