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

export type UserChange = 'disable' | 'enable' | 'make admin' | 'remove admin'

const bodies: Record<UserChange, { disabled?: boolean; admin?: boolean }> = {
  disable: { disabled: true },
  enable: { disabled: false },
  'make admin': { admin: true },
  'remove admin': { admin: false },
}

/** The dialog has asked, so a change to one's own account is confirmed. */
export async function changeUser(
  list: PagedList<AdminUser>,
  { login }: AdminUser,
  change: UserChange,
): Promise<void> {
  const body = { ...bodies[change], confirm: login }
  const changed = await call('PATCH /admin/users/:login', { params: { login }, body })
  list.change(users => users.map(user => (user.id === changed.id ? changed : user)))
}
