// Who may see a site: everyone, visitors with its password, or members of its org.

import type { AccessMode } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { lockAccess, setAccess } from '../../store/access/access.ts'
import { deletePicture } from '../../store/projects/pictures.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { hashPassword } from '../identity/passwords.ts'
import type { ProjectScope } from '../orgs/rights.ts'

interface AccessChange {
  mode: AccessMode
  /** Only for the mode `password`. */
  password?: string | undefined
}

type State = Pick<ProjectScope, 'org_id' | 'access_mode'>

/** A change invalidates the passes of all visitors. Setting the current state again changes nothing. */
export async function changeAccess(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  wish: AccessChange,
): Promise<AccessMode> {
  check(project, wish)
  const password = wish.mode === 'password' ? wish.password : undefined
  const passwordHash = password === undefined ? null : await hashPassword(password, caller.account.id)
  await platform.store.transact(async (tx, changed) => {
    const now = await lockAccess(tx, project.id)
    if (!now) throw new Fault('not_found', `There is no project '${project.name}' that you can act on.`)
    // The project may have been changed or transferred since it was read.
    check(now, wish)
    if (wish.mode === now.access_mode && passwordHash === null) return
    await setAccess(tx, project.id, { access_mode: wish.mode, password_hash: passwordHash })
    // The picture shows what visitors no longer see.
    if (wish.mode !== 'public') await deletePicture(tx, project.id)
    const details = { from: now.access_mode, to: wish.mode }
    await audit(platform, tx, caller, { action: 'access.change', project, target: project.name, details })
    await siteChanged(tx, changed, project)
  })
  return wish.mode
}

function check(state: State, { mode, password }: AccessChange): void {
  if (mode === 'org' && state.org_id === null)
    throw new Fault(
      'invalid_request',
      'mode: org needs a project that an org owns. Transfer it to an org first.',
    )
  if (mode === 'password' && password === undefined && state.access_mode !== 'password')
    throw new Fault('invalid_request', 'password: is needed, since the site has none yet.')
}
