// The accounts of the platform, and what an admin changes about them.
import type { AdminUser } from '@svc/contract'
import { call } from '../../api.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'

export const userList = (search: string): PagedList<AdminUser> =>
  pagedList(`admin users ${search}`, async query => {
    const { users, next_cursor } = await call('GET /admin/users', {
      query: { ...query, ...(search && { search }) },
    })
    return { rows: users, next_cursor }
  })

export type UserChange = 'disable' | 'enable' | 'make admin' | 'remove admin' | 'delete' | 'keep'

const bodies: Record<Exclude<UserChange, 'delete' | 'keep'>, { disabled?: boolean; admin?: boolean }> = {
  disable: { disabled: true },
  enable: { disabled: false },
  'make admin': { admin: true },
  'remove admin': { admin: false },
}

/** The dialog has asked, so a change to one's own account is confirmed. `listNow` is what the page shows when it is done. */
export async function changeUser(
  listNow: () => PagedList<AdminUser>,
  { login }: AdminUser,
  change: UserChange,
): Promise<void> {
  const changed = await sendChange(login, change)
  listNow().change(users => users.map(user => (user.id === changed.id ? changed : user)))
}

function sendChange(login: string, change: UserChange): Promise<AdminUser> {
  const params = { login }
  if (change === 'keep') return call('POST /admin/users/:login/keep', { params })
  if (change === 'delete') return call('DELETE /admin/users/:login', { params, body: { confirm: login } })
  return call('PATCH /admin/users/:login', { params, body: { ...bodies[change], confirm: login } })
}
