// The roles of all endpoints below an org or a project, as the rows of the endpoint table state them.
import type { RouteRole } from './endpoint.ts'
import { type EndpointKey, type EndpointTable, endpoints } from './endpoints.ts'

/** Endpoints that need a role in an org. */
export type ScopedKey = {
  [K in EndpointKey]: EndpointTable[K] extends { role: RouteRole } ? K : never
}[EndpointKey]

export const routeRoles = Object.fromEntries(
  Object.entries(endpoints).flatMap(([key, row]) =>
    'role' in row && row.role !== 'none' ? [[key, row.role]] : [],
  ),
) as Record<ScopedKey, RouteRole>
