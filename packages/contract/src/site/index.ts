// The rules for the files of a site and their upload. The server enforces these rules; the CLI and the dashboard
// apply them before the upload.
export { type Advised, adviseOn, holdsModules } from './advice.ts'
export { buildScript, expectedOutput, findOutput, nextServerIn, type Output, startsServer } from './builds.ts'
export { type Command, type Detected, type DetectedServer, detectServer } from './detection.ts'
export type { SiteFiles } from './files.ts'
export {
  type FrameworkId,
  isAngularOutput,
  type ServerOutput,
  serverFrameworks,
  siteBuilders,
  usualSites,
} from './frameworks.ts'
export { type Ignores, ignoreFile, ignoreRules } from './ignore.ts'
export { decodeLinks, encodeLinks, type Links, linkProblems, linksPath } from './links.ts'
export { type PackageJson, readPackageJson } from './package-json.ts'
export { lockFormat, npm, type PackageManager, packageManagers, yarnBerry } from './package-managers.ts'
export { normalPath, pathProblem } from './paths.ts'
export { platformHeaders } from './platform-headers.ts'
export {
  type BuildSettings,
  buildSettingsOf,
  InvalidSettings,
  parseSettings,
  settingsFile,
} from './settings.ts'
export { readCommand, readStart } from './start-script.ts'
export { joinBytes, tarEnd, tarHeader, tarPadding } from './tar.ts'
export {
  decodeUnchanged,
  encodeUnchanged,
  type Unchanged,
  unchangedPath,
} from './unchanged.ts'
export {
  archiveTooLarge,
  byPath,
  type EntryKind,
  type Extent,
  isExcluded,
  isExcludedFile,
  linksTooLarge,
  tooManyFiles,
  tooManyLinks,
  totalBytes,
  type UploadFile,
  uploadEndedEarly,
  uploadProblem,
} from './upload.ts'
