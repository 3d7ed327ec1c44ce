// What a role in an org allows, read from the table that the server enforces; the dashboard offers nothing else.
import type { Member, Role, ScopedKey } from '@svc/contract'
import { routeRoles } from '@svc/contract/roles'

const rank: Record<Role, number> = { member: 1, admin: 2, owner: 3 }
const atLeast = (role: Role, needed: Role) => rank[role] >= rank[needed]

/** Whether the role reaches the route. Where the table says `self`, everybody does, and a rule below decides. */
export function may(role: Role, route: ScopedKey): boolean {
  const needed = routeRoles[route]
  return needed === 'self' || atLeast(role, needed)
}

/** Anyone may leave; admins remove others, and only owners remove owners. */
export const mayRemove = (role: Role, me: string, { login, role: theirs }: Member): boolean =>
  login === me || atLeast(role, theirs === 'owner' ? 'owner' : 'admin')

/** The person who shared an installation may stop sharing it, and so may admins. */
export const mayUnshare = (role: Role, me: string, sharedBy: string | null): boolean =>
  sharedBy === me || atLeast(role, 'admin')
