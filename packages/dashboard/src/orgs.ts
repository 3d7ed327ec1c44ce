// The orgs of the signed-in account, as the pages share them, and the paths of their pages.
import type { Member, Org, OrgDetail, Role } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { call } from './api.ts'
import { href, type PathWith } from './paths.ts'
import { forgetResource, type Resource, useResource, writeResource } from './resource.ts'

const listKey = 'orgs'
const detailKey = (name: string) => `org ${name}`

async function loadAll(): Promise<Org[]> {
  const all: Org[] = []
  let cursor: string | null = null
  do {
    const query: { limit: string; cursor?: string } = { limit: String(limits.page.max) }
    if (cursor) query.cursor = cursor
    const page: { orgs: Org[]; next_cursor: string | null } = await call('GET /orgs', { query })
    all.push(...page.orgs)
    cursor = page.next_cursor
  } while (cursor)
  return all.sort((one, other) => titleOf(one).localeCompare(titleOf(other)))
}

export const useOrgs = (): Resource<Org[]> => useResource(listKey, loadAll)

export const useOrg = (name: string): Resource<OrgDetail> =>
  useResource(detailKey(name), () => call('GET /orgs/:name', { params: { name } }))

/** Shows a change of an org everywhere at once. */
export function changeOrg(name: string, change: Partial<Org>): void {
  writeResource<OrgDetail>(detailKey(name), org => ({ ...org, ...change }))
  writeResource<Org[]>(listKey, orgs => orgs.map(org => (org.name === name ? { ...org, ...change } : org)))
}

export function changeMembers(name: string, change: (members: Member[]) => Member[]): void {
  writeResource<OrgDetail>(detailKey(name), org => ({ ...org, members: change(org.members) }))
}

/** Drops the cached data of an org. Call it after joining, leaving, creating or deleting one. */
export function forgetOrg(name: string): void {
  forgetResource(listKey)
  forgetResource(detailKey(name))
}

/** The name to show: the display name, or the name. */
export const titleOf = ({ name, display_name }: Pick<Org, 'name' | 'display_name'>) => display_name || name

/** A page of an org, at first its projects. If the org is called "new", its name alone is the path of the page that makes orgs. */
export const orgPath = (name: string, page: PathWith<'name'> = '/orgs/:name') =>
  href(name === 'new' && page === '/orgs/:name' ? '/orgs/:name/projects' : page, { name })

export const roles: Record<Role, { title: string; may: string }> = {
  member: { title: 'Member', may: 'Works on all projects: deploys, rolls back, changes their settings.' },
  admin: {
    title: 'Admin',
    may: 'Works on all projects, deletes them, and manages members, invites, tokens and the icon.',
  },
  owner: {
    title: 'Owner',
    may: 'Does everything: also changes roles, deletes the organization and handles its money.',
  },
}
