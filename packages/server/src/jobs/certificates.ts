// Issues and renews certificates. It checks for due names when a row changes and every few seconds, and works on several
// names at a time.
import type { Logger } from 'pino'
import type { Issuing } from '../core/base/parts.ts'
import type { CertificateParts } from '../core/base/platform.ts'
import { addMissing, attempt, dueNames } from '../core/domains/certificates/reconcile.ts'
import { askForRenewals } from '../core/domains/certificates/renewals.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

const lookEveryMs = 2_000
const graceMs = 1_000
/** How many names are worked on at a time, so that one slow name does not block the others. */
const atOnce = 10
/** Stands for all hosts below the platform's domain. One of their orders is under way at a time: the others then share the next. */
const hosts = 'hosts'

interface CertificateLoop {
  stop(): Promise<void>
}

export function keepCertificates(platform: CertificateParts, issuing: Issuing, log: Logger): CertificateLoop {
  const underWay = new Map<string, Promise<void>>()
  let asking: Promise<void> | undefined
  const loop = new ReconcileLoop({
    reconcile: beginDue,
    onError: err => log.error({ err }, 'certificates cannot be looked at'),
    intervalMs: lookEveryMs,
  }).start()

  async function beginDue(): Promise<void> {
    asking ??= askForRenewals(platform, issuing)
      .catch(err => log.error({ err }, 'the authority cannot be asked for renewals'))
      .finally(() => {
        asking = undefined
      })
    const room = atOnce - underWay.size
    if (room === 0) return
    await addMissing(platform, issuing)
    const due = await dueNames(platform, room)
    for (const name of due.hosts) begin(name, hosts)
    for (const name of due.others) begin(name, name)
  }

  function begin(name: string, key: string): void {
    if (loop.isStopped || underWay.has(key)) return
    const work = attempt(platform, issuing, name).then(
      () => {
        underWay.delete(key)
        loop.wake() // Other names may have waited for this one to finish.
      },
      err => {
        underWay.delete(key)
        if (!loop.isStopped) log.error({ err, name }, 'could not issue a certificate')
      },
    )
    underWay.set(key, work)
  }

  const unsubscribe = platform.store.changes.subscribe(({ topic }) => {
    if (wakers.has(topic) || (topic === 'project' && issuing.perHost)) loop.wake()
  })
  loop.wake()

  return {
    async stop() {
      unsubscribe()
      // An order at the authority can take a minute. Its claim expires, and the next start continues the order.
      const ended = Promise.allSettled([loop.stop(), asking, ...underWay.values()])
      await Promise.race([ended, new Promise(resolve => setTimeout(resolve, graceMs).unref())])
    },
  }
}

const wakers = new Set<string>(['domain', 'certificate', 'everything'])
