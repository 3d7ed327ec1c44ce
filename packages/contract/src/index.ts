export { check } from './check.ts'
export { countryCodes, hasEuVat, vatPrefixes } from './countries.ts'
export * from './endpoint.ts'
export { type EndpointKey, type EndpointTable, endpoints } from './endpoints.ts'
export { type ErrorBody, type ErrorCode, errors } from './errors.ts'
export {
  envKeyPattern,
  formNamePattern,
  limits,
  namePattern,
  platformEnvKeys,
  reservedNames,
  secretPrefix,
  sharePrefix,
} from './limits.ts'
export { openapi, openapiOperations } from './openapi.ts'
export { describeRateLimit, type RateLimit, type RateLimitName, rateLimits } from './rate-limits.ts'
export { routeRoles, type ScopedKey } from './roles.ts'
export type * from './shapes.ts'
export * as shapes from './shapes.ts'
export { isEmail } from './shapes.ts'
