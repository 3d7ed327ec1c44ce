// The rules for the files of a site and their upload. The server enforces these rules; the CLI and the dashboard
// apply them before the upload.
export { type Ignores, ignoreFile, ignoreRules } from './ignore.ts'
export { decodeLinks, encodeLinks, type Links, linkProblems, linksPath } from './links.ts'
export { normalPath, pathProblem } from './paths.ts'
export { platformHeaders } from './platform-headers.ts'
export {
  type BuildSettings,
  buildSettingsOf,
  type DiskSetting,
  diskCommand,
  InvalidSettings,
  parseSettings,
  settingsFile,
} from './settings.ts'
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
