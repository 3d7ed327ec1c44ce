// Keeps certificates in order: looks when a row changes and every few seconds, and works on several names at a time.
import type { Logger } from 'pino'
import type { Issuing } from '../core/domains/certificates/issuing.ts'
import { attempt, dueNames } from '../core/domains/certificates/reconcile.ts'
import type { Platform } from '../core/platform/platform.ts'

const lookEveryMs = 2_000
const graceMs = 1_000
/** A name whose DNS or authority is slow holds its own place, and nobody else's. */
const atOnce = 10

export interface CertificateLoop {
  stop(): Promise<void>
}

export function keepCertificates(platform: Platform, issuing: Issuing, log: Logger): CertificateLoop {
  let stopped = false
  let looking: Promise<void> | undefined
  let lookAgain = false
  const underWay = new Map<string, Promise<void>>()

  const wake = (): void => {
    lookAgain = true
    looking ??= issueDue().finally(() => {
      looking = undefined
    })
  }

  /** A change that came during a look may have come too late for it. */
  async function issueDue(): Promise<void> {
    while (lookAgain && !stopped) {
      lookAgain = false
      try {
        await beginDue()
      } catch (err) {
        log.error({ err }, 'certificates cannot be looked at')
      }
    }
  }

  async function beginDue(): Promise<void> {
    const room = atOnce - underWay.size
    if (room === 0) return
    const due = await dueNames(platform, issuing, room)
    for (const name of due) if (!stopped && !underWay.has(name)) begin(name)
  }

  function begin(name: string): void {
    const work = attempt(platform, issuing, name).then(
      () => {
        underWay.delete(name)
        wake() // Others may have waited for the place.
      },
      err => {
        underWay.delete(name)
        if (!stopped) log.error({ err, name }, 'a certificate could not be issued')
      },
    )
    underWay.set(name, work)
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
      const ended = Promise.allSettled([looking, ...underWay.values()])
      await Promise.race([ended, new Promise(resolve => setTimeout(resolve, graceMs).unref())])
    },
  }
}
