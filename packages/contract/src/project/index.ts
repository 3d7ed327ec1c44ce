// What a project is, how it is built, what its build made, and what a deployment is. The builder, both clients and 'svc import'
// ask here, so that a folder has one answer.
export { type Advice, type Advised, adviseOn, holdsModules } from './advice.ts'
export { imageById } from './base-images.ts'
export {
  type Command,
  type Detected,
  type DetectedServer,
  detectServer,
  frontPageProblem,
} from './detection.ts'
export { declaredArgs, fetchingInstruction, findDockerfile, isUnclear } from './dockerfile.ts'
export { dockerIgnores } from './dockerignore.ts'
export { below, isPresent, type ProjectFiles, type SiteFiles } from './files.ts'
export type { Framework } from './framework.ts'
export { buildScript, frameworks } from './frameworks.ts'
export {
  chooseNode,
  type NodeRequest,
  type NodeVersions,
  newestFirst,
  nodeAskedBy,
  nodeAskedIn,
  nodeOfDeployment,
} from './node-choice.ts'
export { findOutput, type Output } from './output.ts'
export { type PackageJson, packagesUsedBy, parsePackageJson } from './package-json.ts'
export { npm, packageManagers } from './package-managers.ts'
export { type BuildPlan, buildVariables, managerStep, planProject } from './plan.ts'
export { type FrameworkId, serverFrameworks } from './servers.ts'
export { looksLikeSinglePage, singlePageHint, singlePageRules } from './single-page.ts'
export { describeSources } from './sources.ts'
export { runsNodeAlone } from './start-command.ts'
export { readCommand, readStart } from './start-script.ts'
export { Said, type Step } from './step.ts'
