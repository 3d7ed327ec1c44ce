// Looks at the domains that wait for proof, several at a time, less often the longer they wait.
import type { Logger } from 'pino'
import { nextProofCheck } from '../core/domains/certificates/times.ts'
import { verifyWaiting } from '../core/domains/proof.ts'
import type { Platform } from '../core/platform/platform.ts'
import { claimProofCheck, type DomainHolder, dueProofChecks } from '../store/domains/domains.ts'

const lookEveryMs = 5_000
/** A name whose DNS is slow holds its own place, and nobody else's. */
const atOnce = 10

export function startProofChecks(platform: Platform, log: Logger): { stop(): Promise<void> } {
  const { store, clock } = platform
  let looking: Promise<void> | undefined

  /** Of several nodes one looks: the next time is a compare and swap. */
  async function checkProof(row: DomainHolder): Promise<void> {
    const now = clock.now()
    if (await claimProofCheck(store.db, row, nextProofCheck(now, row.created_at)))
      await verifyWaiting(platform, row, row)
  }

  async function checkDueProofs(): Promise<void> {
    try {
      await Promise.all((await dueProofChecks(store.db, clock.now(), atOnce)).map(checkProof))
    } catch (err) {
      log.error({ err }, 'domains that wait for proof cannot be looked at')
    }
  }

  const timer = setInterval(() => {
    looking ??= checkDueProofs().finally(() => {
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
