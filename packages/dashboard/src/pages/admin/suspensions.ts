// Suspended projects and accounts.
import type { AdminSuspension } from '@svc/contract'
import { call } from '../../api.ts'
import { pagedList } from '../../paged-list.ts'

export const suspensionList = pagedList<AdminSuspension>('admin suspensions', async query => {
  const { suspensions, next_cursor } = await call('GET /admin/suspensions', { query })
  return { rows: suspensions, next_cursor }
})

const isSame = (a: AdminSuspension, b: Pick<AdminSuspension, 'kind' | 'name'>) =>
  a.kind === b.kind && a.name === b.name

export async function suspend({ kind, name, status, reason }: Omit<AdminSuspension, 'at'>): Promise<void> {
  const body = { status, reason }
  const { suspended } =
    kind === 'project'
      ? await call('PUT /admin/projects/:name/suspension', { params: { name }, body })
      : await call('PUT /admin/users/:login/suspension', { params: { login: name }, body })
  const made = { kind, name, ...suspended }
  suspensionList.change(rows => [made, ...rows.filter(row => !isSame(row, made))])
}

export async function resume(suspension: AdminSuspension): Promise<void> {
  const { kind, name } = suspension
  if (kind === 'project') await call('DELETE /admin/projects/:name/suspension', { params: { name } })
  else await call('DELETE /admin/users/:login/suspension', { params: { login: name } })
  suspensionList.change(rows => rows.filter(row => !isSame(row, suspension)))
}
