// How each step of the sweep went the last time, for the operator.
import type { AdminSweepStep } from '@svc/contract'
import { listSweepSteps } from '../../store/platform/sweep-steps.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'

/** Failed steps first. */
export async function sweepSteps({ store }: Pick<Platform, 'store'>): Promise<AdminSweepStep[]> {
  const rows = await listSweepSteps(store.db)
  const [failed, fine] = [rows.filter(row => row.error !== null), rows.filter(row => row.error === null)]
  return [...failed, ...fine].map(({ name, ran_at, took_ms, succeeded_at, error }) => ({
    ...{ name, error },
    took_ms: Number(took_ms),
    ran_at: isoTime(Number(ran_at)),
    succeeded_at: isoTimeOrNull(succeeded_at === null ? null : Number(succeeded_at)),
  }))
}
