// Plans the build of a repository, by the settings of the project and by its svc.json.
import { type BuildPlan, type ProjectFiles, planProject } from '@svc/contract/project'
import type { ProjectRepoRow } from '../../store/tables.ts'
import { readSettings } from './settings.ts'

type RepoSettings = Pick<ProjectRepoRow, 'build_cmd' | 'install_cmd' | 'output_dir' | 'root_dir'>

/** Throws a Fault if svc.json cannot be used. */
export async function planBuild(files: ProjectFiles, project: RepoSettings): Promise<BuildPlan> {
  const dir = project.root_dir ?? ''
  const { build, output } = await readSettings(files, dir)
  return await planProject(files, {
    dir,
    install: project.install_cmd ?? undefined,
    build: project.build_cmd ?? build,
    output:
      project.output_dir !== null
        ? { folder: project.output_dir === '.' ? '' : project.output_dir, from: 'output_dir' }
        : output === undefined
          ? undefined
          : { folder: output, from: 'svc.json' },
  })
}
