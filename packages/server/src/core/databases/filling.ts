// The right to fill or replace a database, which one svcd at a time has, also of several nodes.
import { Fault } from '../../lib/fault.ts'
import { randomText } from '../../lib/ids.ts'
import { claimFilling, endFilling, extendFilling, type Filled } from '../../store/databases/filling.ts'
import type { Rows } from '../base/platform.ts'

const leaseMs = 60_000
const renewEveryMs = 15_000

const lost = () =>
  new Fault(
    'unavailable',
    'Another node has begun to fill the database, because this one was silent for a minute.',
  )

export type Confirm = (filled?: Filled) => Promise<void>

/**
 * Does the work unless another svcd does, and returns what it or `busy` returns. The work calls `confirm`, which throws if it lost the
 * right meanwhile, before what cannot be undone. What it gives to `confirm` is stored in the same step. An svcd may stand still
 * after `confirm`, so the database server compares the holder, too.
 */
export async function fillAlone<T>(
  { store, clock }: Rows,
  id: string,
  work: (confirm: Confirm, holder: string) => Promise<T>,
  busy: () => T,
): Promise<T> {
  const holder = randomText(16)
  const until = () => clock.now() + leaseMs
  if (!(await claimFilling(store.db, id, { holder, now: clock.now(), until: until() }))) return busy()
  let isOver = false
  const confirm: Confirm = async filled => {
    if (!(await extendFilling(store.db, id, holder, { until: until(), ...filled }))) throw lost()
  }
  const renew = () =>
    clock.timeout(renewEveryMs).addEventListener('abort', () => {
      if (isOver) return
      // If the platform's database does not answer, the next time or `confirm` tells.
      confirm().catch(() => undefined)
      renew()
    })
  renew()
  try {
    return await work(confirm, holder)
  } finally {
    isOver = true
    await endFilling(store.db, id, holder).catch(() => undefined)
  }
}
