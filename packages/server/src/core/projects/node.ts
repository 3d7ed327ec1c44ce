// The version of Node that a project asks for in its settings. It counts for the next builds and deployments.
import type { ProjectNode } from '@svc/contract'
import { chooseNode, newestFirst } from '@svc/contract/project'
import { Fault } from '../../lib/fault.ts'
import { findProjectNode, saveProjectNode } from '../../store/projects/nodes.ts'
import { lockProject } from '../../store/projects/projects.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import type { ProjectScope } from '../orgs/rights.ts'

export async function projectNode(
  platform: Pick<Platform, 'store' | 'nodeVersions'>,
  project: ProjectScope,
): Promise<ProjectNode> {
  return describe(platform, await findProjectNode(platform.store.db, project.id))
}

export async function changeProjectNode(
  platform: Rows & Pick<Platform, 'nodeVersions'>,
  caller: Caller,
  project: ProjectScope,
  node: string | null,
): Promise<ProjectNode> {
  const asked = node === null ? undefined : { range: node, from: 'the settings of the project' }
  const choice = chooseNode(asked, platform.nodeVersions)
  if ('problem' in choice) throw new Fault('invalid_request', choice.problem)
  await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', `The project '${project.name}' was deleted meanwhile.`)
    if ((await findProjectNode(tx, project.id)) === node) return
    await saveProjectNode(tx, project.id, node)
    await audit(platform, tx, caller, {
      action: 'project.node',
      project,
      target: project.name,
      details: { node },
    })
    await siteChanged(tx, changed, project)
  })
  return describe(platform, node)
}

const describe = ({ nodeVersions }: Pick<Platform, 'nodeVersions'>, node: string | null): ProjectNode => ({
  node,
  standard: nodeVersions.standard ?? null,
  available: newestFirst(nodeVersions.all),
})
