// Runs the checks of other machines for the operator area, and keeps what they found.
import type { AdminCheck } from '@svc/contract'
import { listCheckResults, replaceCheckResults } from '../../store/admin/checks.ts'
import type { CheckResultRow } from '../../store/tables.ts'
import { errorText } from '../base/error-text.ts'
import type { Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { CheckFailure } from '../platform/checks.ts'
import { type ServiceParts, serviceChecks } from '../platform/service-checks.ts'

/** No check may take longer. All of them run at the same time. */
const timeLimitMs = 12_000

const usualAdvice = "Run 'svcd doctor' on the server, and look into its log."

export const lastChecks = async ({ store }: Pick<Rows, 'store'>): Promise<AdminCheck[]> =>
  (await listCheckResults(store.db)).map(describe)

/** The run that is under way on this node, by its store. */
const underWay = new WeakMap<object, Promise<AdminCheck[]>>()

/** One run at a time: who asks during a run gets its results. */
export function runChecks(platform: Rows & ServiceParts): Promise<AdminCheck[]> {
  const running = underWay.get(platform.store)
  if (running) return running
  const run = checkAll(platform).finally(() => underWay.delete(platform.store))
  underWay.set(platform.store, run)
  return run
}

async function checkAll(platform: Rows & ServiceParts): Promise<AdminCheck[]> {
  const rows = await Promise.all(
    Object.entries(serviceChecks).map(([name, check]) => resultOf(platform, name, check(platform))),
  )
  await platform.store.transact(tx => replaceCheckResults(tx, rows))
  return await lastChecks(platform)
}

async function resultOf(platform: Rows, name: string, check: Promise<string>): Promise<CheckResultRow> {
  const result = await Promise.race([check, tooLate(platform)]).then(
    message => ({ ok: 1, message, advice: null }),
    (error: unknown) => ({
      ok: 0,
      message: errorText(error),
      advice: error instanceof CheckFailure ? error.advice : usualAdvice,
    }),
  )
  return { name, ...result, checked_at: platform.clock.now() }
}

const tooLate = ({ clock }: Pick<Rows, 'clock'>): Promise<never> =>
  new Promise((_resolve, reject) => {
    clock
      .timeout(timeLimitMs)
      .addEventListener('abort', () =>
        reject(
          new CheckFailure(
            `there was no answer in ${timeLimitMs / 1000} seconds`,
            'Check whether this server can reach the other machine, and whether a firewall stops it.',
          ),
        ),
      )
  })

const describe = ({ name, ok, message, advice, checked_at }: CheckResultRow): AdminCheck => ({
  ...{ name, message, advice },
  ok: ok === 1,
  checked_at: isoTime(Number(checked_at)),
})
