// Creates an org with one person in every role, and one person outside it.
import type { Role } from '@svc/contract'
import { randomText } from '../lib/ids.ts'
import { send } from './send.ts'
import type { TestServer } from './server.ts'

export interface Person {
  id: string
  login: string
  token: string
}

export interface Team extends Record<Role | 'outsider', Person> {
  org: string
}

export const freshName = (): string => `x${randomText(12)}`

export async function makeTeam(server: TestServer): Promise<Team> {
  const [owner, admin, member, outsider] = await Promise.all([0, 1, 2, 3].map(() => server.account()))
  const org = freshName()
  const team = { org, owner: owner!, admin: admin!, member: member!, outsider: outsider! }
  await server.client(team.owner.token)('POST /orgs', { body: { name: org } })
  await bringIn(server, team, team.admin, 'admin')
  await bringIn(server, team, team.member, 'member')
  return team
}

export async function bringIn(
  server: TestServer,
  team: Pick<Team, 'org' | 'owner'>,
  who: Person,
  role: Role,
): Promise<void> {
  const call = server.client(team.owner.token)
  const params = { name: team.org }
  const secret = await inviteSecret(server, team, role === 'admin' ? 'admin' : 'member')
  await server.client(who.token)('POST /invites/:token/accept', { params: { token: secret } })
  if (role === 'owner')
    await call('PUT /orgs/:name/members/:login', { params: { ...params, login: who.login }, body: { role } })
}

/** Creates an invite and returns the secret in its link. */
export async function inviteSecret(
  server: TestServer,
  team: Pick<Team, 'org' | 'owner'>,
  role: 'member' | 'admin' = 'member',
): Promise<string> {
  const { json } = await send(server, `POST /orgs/${team.org}/invites`, team.owner, {
    email: `${randomText(8)}@example.com`,
    role,
  })
  return secretOf(json.invite_url)
}

export const secretOf = (inviteUrl: string): string => inviteUrl.split('/').at(-1) ?? ''

/** Returns the roles of the org's members, by login. */
export async function rolesIn(server: TestServer, team: Team, as: Person = team.owner) {
  const { json } = await send(server, `GET /orgs/${team.org}`, as)
  const members: { login: string; role: Role }[] = json.members
  return Object.fromEntries(members.map(({ login, role }) => [login, role]))
}
