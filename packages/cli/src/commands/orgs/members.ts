// The members of an organization and their roles.
import type { Role } from '@svc/contract'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, dim, minute, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

const roles: readonly string[] = ['member', 'admin', 'owner'] satisfies Role[]
const isRole = (word: string): word is Role => roles.includes(word)

export const listMembers: Run = async ({ args: [name = ''], options }) => {
  const org = await connect()('GET /orgs/:name', { params: { name } })
  if (options.json) return printJson(org)
  const members = required(org, 'members')
  printTable(members.map(({ login, role, joined_at }) => [bold(login), role ?? '', dim(minute(joined_at))]))
}

export const changeRole: Run = async ({ args: [name = '', login = '', role = ''] }) => {
  if (!isRole(role)) throw new Failure(`Unknown role '${role}'. It must be member, admin or owner.`)
  await connect()('PUT /orgs/:name/members/:login', { params: { name, login }, body: { role } })
  print(`${bold(login)} has the role ${role} in ${name} now.`)
}

export const removeMember: Run = async ({ args: [name = '', login = ''] }) => {
  await connect()('DELETE /orgs/:name/members/:login', { params: { name, login } })
  print(`Removed ${bold(login)} from ${name}.`)
}

export const leave: Run = async ({ args: [name = ''] }) => {
  const call = connect()
  const login = required(await call('GET /me'), 'gitforge_login')
  await call('DELETE /orgs/:name/members/:login', { params: { name, login } })
  print(`You left ${bold(name)}.`)
}
