// The limits of an account or an org.
import type { LimitChanges, LimitName, OwnerLimits } from '@svc/contract'
import { readLimit } from '@svc/contract/limit-text'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

const keyOf = (owner: string): string => `admin limits ${owner}`

export const useOwnerLimits = (owner: string): Resource<OwnerLimits> =>
  useResource(keyOf(owner), () => call('GET /admin/limits/:owner', { params: { owner } }))

/** Sends what was typed, by the name of the limit. */
export async function changeLimits(owner: string, typed: Partial<Record<LimitName, string>>): Promise<void> {
  const changes = Object.entries(typed).map(([name, text]) => [name, readLimit(name as LimitName, text)])
  const body: LimitChanges = Object.fromEntries(changes)
  const changed = await call('PATCH /admin/limits/:owner', { params: { owner }, body })
  writeResource<OwnerLimits>(keyOf(owner), () => changed)
}
