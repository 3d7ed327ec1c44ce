// Looks at the domains that wait for proof, several at a time, less often the longer they wait.
import type { Logger } from 'pino'
import { nextLook } from '../core/domains/certificates/times.ts'
import { verifyWaiting } from '../core/domains/proof.ts'
import type { Platform } from '../core/platform/platform.ts'
import { claimLook, type DomainHolder, dueLooks } from '../store/domains/domains.ts'

const lookEveryMs = 5_000
/** A name whose DNS is slow holds its own place, and nobody else's. */
const atOnce = 10

export function keepLookingForProof(platform: Platform, log: Logger): { stop(): Promise<void> } {
  const { store, clock } = platform
  let looking: Promise<void> | undefined

  /** Of several nodes one looks: the next time is a compare and swap. */
  async function lookAt(row: DomainHolder): Promise<void> {
    const now = clock.now()
    if (await claimLook(store.db, row, nextLook(now, row.created_at))) await verifyWaiting(platform, row, row)
  }

  async function lookAround(): Promise<void> {
    try {
      await Promise.all((await dueLooks(store.db, clock.now(), atOnce)).map(lookAt))
    } catch (err) {
      log.error({ err }, 'domains that wait for proof cannot be looked at')
    }
  }

  const timer = setInterval(() => {
    looking ??= lookAround().finally(() => {
      looking = undefined
    })
  }, lookEveryMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
