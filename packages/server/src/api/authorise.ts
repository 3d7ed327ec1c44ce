// Checks that the caller has the role that the row of the endpoint requires.
import type { Endpoint, EndpointKey } from '@svc/contract'
import type { Caller } from '../core/identity/callers.ts'
import { type OrgScope, orgFor, type ProjectScope, projectFor } from '../core/orgs/rights.ts'
import type { Rows } from '../core/platform/platform.ts'

export async function authorise(
  platform: Rows,
  { key, endpoint: { role } }: { key: EndpointKey; endpoint: Endpoint },
  caller: Caller | undefined,
  name: string | undefined,
): Promise<{ project?: ProjectScope; org?: OrgScope }> {
  if (!role || role === 'none' || !caller || name === undefined) return {}
  if (key.includes(' /projects/')) return { project: await projectFor(platform, caller, name, role) }
  return { org: await orgFor(platform, caller, name, role) }
}
