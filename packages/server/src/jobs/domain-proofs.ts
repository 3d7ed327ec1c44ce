// Checks domains that wait for a DNS proof, several at a time. The longer a domain waits, the less often it is checked.
import type { Logger } from 'pino'
import type { DomainProofs, Rows } from '../core/base/platform.ts'
import { nextProofCheck } from '../core/domains/certificates/times.ts'
import { verifyWaiting } from '../core/domains/proof.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import { claimProofCheck, type DomainHolder, dueProofChecks } from '../store/domains/domains.ts'

const lookEveryMs = 5_000
/** How many domains are checked at a time, so that slow DNS of one does not block the others. */
const atOnce = 10

export function startProofChecks(platform: Rows & DomainProofs, log: Logger): { stop(): Promise<void> } {
  const { store, clock } = platform

  /** `claimProofCheck` is a compare-and-swap, so only one node checks a domain. */
  async function checkProof(row: DomainHolder): Promise<void> {
    const now = clock.now()
    if (await claimProofCheck(store.db, row, nextProofCheck(now, row.created_at)))
      await verifyWaiting(platform, row, row)
  }

  async function checkDueProofs(): Promise<void> {
    await Promise.all((await dueProofChecks(store.db, clock.now(), atOnce)).map(checkProof))
  }

  return new ReconcileLoop({
    reconcile: checkDueProofs,
    onError: err => log.error({ err }, 'cannot check the domains that wait for proof'),
    intervalMs: lookEveryMs,
  }).start()
}
