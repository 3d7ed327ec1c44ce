// The resources of the API as schemas; types are derived from them.
export * from './shapes/ai.ts'
export * from './shapes/basics.ts'
export * from './shapes/billing.ts'
export * from './shapes/people.ts'
export * from './shapes/projects.ts'
export * from './shapes/traffic.ts'
