// svcd users limits: shows or changes the limits of an account or an org.
import { type LimitChanges, type OwnerLimits, shapes } from '@svc/contract'
import { type NewLimit, readLimit, writeLimit } from '@svc/contract/limit-text'
import { changeLimits, ownerLimits } from '../core/admin/owner-limits.ts'
import type { PlanSettings, Rows } from '../core/base/platform.ts'
import { Fault } from '../lib/fault.ts'

export async function limitsOf(
  platform: PlanSettings & Rows,
  owner: string,
  { set = [] }: { set?: string[] },
): Promise<void> {
  const shown =
    set.length === 0
      ? await ownerLimits(platform, owner)
      : await changeLimits(platform, { ip: '' }, owner, readChanges(set))
  for (const limit of shown.limits) process.stdout.write(`${lineOf(limit)}\n`)
}

function readChanges(set: readonly string[]): LimitChanges {
  const read = shapes.limitChanges.safeParse(Object.fromEntries(set.map(readChange)))
  if (read.success) return read.data
  const { path, message } = read.error.issues[0]!
  throw new Fault('invalid_request', `--set ${path.join('.')}: ${message}`)
}

function readChange(text: string): [name: string, amount: NewLimit] {
  const [name = '', value] = text.split('=')
  const { options } = shapes.limitName
  const known = options.find(option => option === name.trim())
  if (!known || !value)
    throw new Fault('invalid_request', `--set takes <limit>=<value>. The limits: ${options.join(', ')}.`)
  try {
    return [known, readLimit(known, value)]
  } catch (error) {
    throw new Fault('invalid_request', `--set ${(error as Error).message}`)
  }
}

function lineOf({ name, allowed, is_own, used }: OwnerLimits['limits'][number]): string {
  const of = allowed === null ? 'no limit' : `of ${writeLimit(name, allowed)}`
  return [name, `${writeLimit(name, used)} used`, of, ...(is_own ? ['set for this owner'] : [])].join('  ')
}
