// Gives a project another name. The former name redirects to the new one for 30 days, and nobody else can take it meanwhile.
import type { Project } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { listDomains } from '../../store/domains/domains.ts'
import { isDuplicate } from '../../store/faults.ts'
import {
  branchSlugs,
  currentName,
  dropFormerName,
  formerNamesOf,
  keepFormerName,
  limitFormerNames,
  setBranchSlug,
  setProjectName,
} from '../../store/projects/former-names.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { branchSlug } from '../base/labels.ts'
import { checkName, nameTaken, requireFreeName } from '../base/names.ts'
import type { Platform, Rows } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { describeProject } from './projects.ts'

const keptMs = 30 * dayMs
/** Of one project. Renaming for ever must not reserve more and more names. */
const keptNames = 10

export async function renameProject(
  platform: Rows & Pick<Platform, 'reservedNames' | 'urls'>,
  caller: Caller,
  project: ProjectScope,
  name: string,
): Promise<Project> {
  if (name === project.name) return describeProject(platform, project)
  checkName(platform, name)
  const rename = platform.store.transact(async (tx, changed) => {
    const now = platform.clock.now()
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const from = (await currentName(tx, project.id)) ?? project.name
    await requireFreeName(tx, name, now, project.id)
    await dropFormerName(tx, name)
    if (!(await setProjectName(tx, project.id, name))) throw nameTaken(name)
    await keepFormerName(tx, { name: from, project_id: project.id, until: now + keptMs })
    await limitFormerNames(tx, project.id, keptNames)
    await renameBranches(tx, project.id, name)
    const entry = { action: 'project.rename', project, target: name, details: { from, to: name } } as const
    await audit(platform, tx, caller, entry)
    for (const former of await formerNamesOf(tx, project.id))
      await changed({ topic: 'project', key: former.name })
    await changed({ topic: 'project', key: name })
    await changed({ topic: 'workspace', key: project.org_id ?? project.account_id ?? '' })
    for (const { domain } of await listDomains(tx, project.id))
      await changed({ topic: 'domain', key: domain })
  })
  await rename.catch(error => {
    throw isDuplicate(error) ? nameTaken(name) : error
  })
  return describeProject(platform, { ...project, name })
}

/** The label of a branch must fit with the new name, which may be longer. */
async function renameBranches(tx: Tx, projectId: string, name: string): Promise<void> {
  for (const { git_branch: branch, branch_slug: from } of await branchSlugs(tx, projectId)) {
    const to = branchSlug(branch!, name)
    if (from !== null && to !== from) await setBranchSlug(tx, projectId, { branch: branch!, from, to })
  }
}
