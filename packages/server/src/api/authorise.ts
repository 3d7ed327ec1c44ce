// Checks that the token reaches the endpoint, and that the caller has the role that the row of the endpoint requires.
import type { Endpoint, EndpointKey } from '@svc/contract'
import type { Caller } from '../core/base/caller.ts'
import type { Rows } from '../core/base/platform.ts'
import { confirmRole, type OrgScope, orgFor, type ProjectScope, projectFor } from '../core/orgs/rights.ts'
import { Fault } from '../lib/fault.ts'

/** Call it before the limits are counted: a token for one project must not use up those of the account. */
export function requireReach(key: EndpointKey, caller: Caller | undefined): void {
  if (caller?.project && !reachedByProjectToken(key))
    throw new Fault(
      'forbidden',
      `This token reaches only the project '${caller.project.name}', and may not do this. Use a token without a project.`,
    )
}

interface Authorised {
  project?: ProjectScope
  org?: OrgScope
}

export async function authorise(
  platform: Rows,
  { key, endpoint: { role } }: { key: EndpointKey; endpoint: Endpoint },
  caller: Caller | undefined,
  name: string | undefined,
): Promise<Authorised> {
  if (!role || role === 'none' || !caller || name === undefined) return {}
  if (key.includes(' /projects/')) return { project: await projectFor(platform, caller, name, role) }
  return { org: await orgFor(platform, caller, name, role) }
}

/** Throws if the caller has lost the role since `authorise` returned. */
export async function confirmAuthorised(
  platform: Rows,
  { role }: Endpoint,
  caller: Caller | undefined,
  { project, org }: Authorised,
): Promise<void> {
  if (!role || role === 'none' || !caller) return
  if (project) await confirmRole(platform, caller, project, role)
  if (org) await orgFor(platform, caller, org.name, role)
}

/** Endpoints that use the rights of the account outside the project: its repositories, its other workspaces. */
const beyondProject = new Set<EndpointKey>(['POST /projects/:name/repo', 'POST /projects/:name/transfer'])
const outsideProject = new Set<EndpointKey>(['GET /me', 'GET /projects'])

const reachedByProjectToken = (key: EndpointKey): boolean =>
  outsideProject.has(key) || (key.includes(' /projects/:name') && !beyondProject.has(key))
