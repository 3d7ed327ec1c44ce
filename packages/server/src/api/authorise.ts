// Authorisation in one place: the contract's table of roles says what a route asks of its caller.
import { type EndpointKey, routeRoles } from '@svc/contract'
import type { Caller } from '../core/identity/callers.ts'
import { type OrgScope, orgFor, type ProjectScope, projectFor } from '../core/orgs/rights.ts'
import type { Platform } from '../core/platform/platform.ts'

const roles: Partial<Record<EndpointKey, (typeof routeRoles)[keyof typeof routeRoles]>> = routeRoles

export async function authorise(
  platform: Platform,
  key: EndpointKey,
  caller: Caller | undefined,
  name: string | undefined,
): Promise<{ project?: ProjectScope; org?: OrgScope }> {
  const role = roles[key]
  if (!role || !caller || name === undefined) return {}
  if (key.includes(' /projects/')) return { project: await projectFor(platform, caller, name, role) }
  return { org: await orgFor(platform, caller, name, role) }
}
