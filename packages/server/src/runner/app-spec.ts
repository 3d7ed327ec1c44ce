// What the runtime needs to run something in the place of an app: its files, variables and limits.
import type { StartPlan } from '../core/apps/environment.ts'
import type { AppLimits, AppSpec } from '../ports/app-runtime/port.ts'
import type { AppFiles } from './app-files.ts'

interface SpecParts {
  files: AppFiles
  limits: AppLimits
  readyWithinMs: number
}

/** Unpacks the files of the deployment if that has not been done. */
export async function specOf(
  { files, limits, readyWithinMs }: SpecParts,
  { command, env, framework, image, node, project, projectId, socket }: StartPlan,
  instance: Pick<AppSpec, 'instanceId' | 'deploymentId' | 'output'>,
): Promise<AppSpec> {
  const scratchDirs = framework?.scratch ?? []
  const filesDir = image === undefined ? await files.prepare(instance.deploymentId, scratchDirs) : ''
  const sockets = socket ? [socket] : []
  return {
    ...instance,
    ...{
      projectId,
      project,
      filesDir,
      scratchDirs,
      sockets,
      command,
      image,
      node,
      env,
      limits,
      readyWithinMs,
    },
  }
}
