// What is still missing, in one place: these endpoints answer 501 until they are built.
import type { EndpointKey } from '@svc/contract'

export const notBuiltYet = [
  'GET /usage/ai',
  'GET /orgs/:name/usage/ai',
] as const satisfies readonly EndpointKey[]
