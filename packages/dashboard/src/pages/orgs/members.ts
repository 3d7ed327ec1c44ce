// Changes the members of an org and their roles.
import type { Member, Org, OrgDetail, Role } from '@svc/contract'
import { call } from '../../api.ts'
import { changeMembers, changeOrg, forgetOrg } from '../../orgs.ts'

export async function changeRole({ name }: Org, { login }: Member, role: Role, me: string): Promise<void> {
  await call('PUT /orgs/:name/members/:login', { params: { name, login }, body: { role } })
  changeMembers(name, members =>
    members.map(member => (member.login === login ? { ...member, role } : member)),
  )
  if (login === me) changeOrg(name, { role })
}

export async function removeMember({ name }: Org, { login }: Member): Promise<void> {
  await call('DELETE /orgs/:name/members/:login', { params: { name, login } })
  changeMembers(name, members => members.filter(member => member.login !== login))
}

export async function leave({ name }: Org, me: string): Promise<void> {
  await call('DELETE /orgs/:name/members/:login', { params: { name, login: me } })
  forgetOrg(name)
}

/** Whether the org would be left without an owner. */
export const isLastOwner = ({ members }: OrgDetail, { login, role }: Member): boolean =>
  role === 'owner' && !members.some(member => member.role === 'owner' && member.login !== login)
