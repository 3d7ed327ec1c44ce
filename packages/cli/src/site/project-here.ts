// The plan for the project of the working directory. It is seen from the root of the disk, because the project may be part of
// a workspace above it.
import { parse, relative, resolve, sep } from 'node:path'
import { type BuildPlan, type ProjectFiles, planProject } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'

interface ProjectHere {
  /** The root of the disk, from which all paths of the files and of the plan lead. */
  root: string
  files: ProjectFiles
  plan: BuildPlan
}

/** `build` is the command that the user chose, if any. */
export async function planHere(build?: string): Promise<ProjectHere> {
  const { root } = parse(resolve('.'))
  const files = diskFiles(root)
  const dir = relative(root, resolve('.')).split(sep).join('/')
  return { root, files, plan: await planProject(files, { dir, build }) }
}
