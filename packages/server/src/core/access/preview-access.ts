// Who may see the previews of a project: whoever may see its site, or only visitors with a password, or members of its org.
// Previews are all hosts but production: branches, permanent URLs, and domains that track a branch.
import type { PreviewAccessMode } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { lockAccess, newGeneration } from '../../store/access/access.ts'
import { deletePreviewAccess, findPreviewAccess, savePreviewAccess } from '../../store/access/previews.ts'
import type { Db } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { hashPassword } from '../identity/passwords.ts'
import type { ProjectScope } from '../orgs/rights.ts'

interface PreviewAccessChange {
  mode: PreviewAccessMode
  /** Only for the mode `password`. */
  password?: string | undefined
}

export const previewModeOf = async (db: Db, projectId: string): Promise<PreviewAccessMode> =>
  (await findPreviewAccess(db, projectId))?.mode ?? 'site'

/** A change invalidates the passes of all visitors. Setting the current state again changes nothing. */
export async function changePreviewAccess(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  { mode, password }: PreviewAccessChange,
): Promise<PreviewAccessMode> {
  const isNewPassword = mode === 'password' && password !== undefined
  const passwordHash = isNewPassword ? await hashPassword(password, caller.account.id) : null
  await platform.store.transact(async (tx, changed) => {
    const now = await lockAccess(tx, project.id)
    if (!now) throw new Fault('not_found', `There is no project '${project.name}' that you can act on.`)
    const from = await previewModeOf(tx, project.id)
    if (mode === 'org' && now.org_id === null)
      throw new Fault(
        'invalid_request',
        'mode: org needs a project that an org owns. Transfer it to an org first.',
      )
    if (mode === 'password' && !isNewPassword && from !== 'password')
      throw new Fault('invalid_request', 'password: is needed, since the previews have none yet.')
    if (mode === from && !isNewPassword) return
    if (mode === 'site') await deletePreviewAccess(tx, project.id)
    else await savePreviewAccess(tx, { project_id: project.id, mode, password_hash: passwordHash })
    await newGeneration(tx, project.id)
    const details = { from, to: mode }
    await audit(platform, tx, caller, {
      ...{ action: 'access.previews', project, target: project.name, details },
    })
    await siteChanged(tx, changed, project)
  })
  return mode
}
