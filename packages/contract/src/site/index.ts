// What a deployment is, by its files: shared by the platform, which decides, and its clients, which say it beforehand.
export { type Advice, type Advised, adviseOn, holdsModules, noFrontPage } from './advice.ts'
export { type Command, type Detected, type DetectedServer, detectServer } from './detection.ts'
export type { SiteFiles } from './files.ts'
export {
  type FrameworkId,
  isAngularOutput,
  type ServerOutput,
  type SiteBuilder,
  serverFrameworks,
  siteBuilders,
  usualSites,
} from './frameworks.ts'
export { decodeLinks, encodeLinks, type Links, linkProblems, linksPath } from './links.ts'
export { lockFormat, npm, type PackageManager, packageManagers, yarnBerry } from './package-managers.ts'
export { platformHeaders } from './platform-headers.ts'
