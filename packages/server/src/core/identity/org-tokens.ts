// Tokens that belong to an org: `deploy` for CI, `ai` for the AI gateway.
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import { listOrgTokens, revokeOrgToken } from '../../store/identity/accounts.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { lockExistingOrg } from '../orgs/orgs.ts'
import type { OrgScope } from '../orgs/rights.ts'
import {
  describeToken,
  expiryOf,
  lockProjectOf,
  makeToken,
  projectOf,
  requireRoomForToken,
  type TokenInput,
} from './tokens.ts'

export async function createOrgToken(
  platform: PlanSettings & Rows,
  caller: Caller,
  org: OrgScope,
  input: TokenInput<'ai' | 'deploy'>,
) {
  const now = platform.clock.now()
  const project = await projectOf(platform, caller, input)
  if (project && project.org_id !== org.id)
    throw new Fault('invalid_request', `project: '${project.name}' is not a project of the org '${org.name}'`)
  const token = {
    kind: input.kind,
    label: input.label ?? '',
    accountId: caller.account.id,
    orgId: org.id,
    expiresAt: expiryOf(input, now),
    project,
  }
  const made = await platform.store.transact(async tx => {
    await lockExistingOrg(tx, org)
    await requireRoomForToken(platform, tx, { account_id: null, org_id: org.id })
    await lockProjectOf(tx, token)
    const created = await makeToken(tx, now, token)
    const details = { kind: token.kind, label: token.label, ...(project && { project: project.name }) }
    await audit(platform, tx, caller, { action: 'token.create', orgId: org.id, target: created.id, details })
    return created
  })
  return { ...made, created_by: caller.account.login }
}

export async function orgTokens(
  platform: Pick<Platform, 'store' | 'tokenUses'>,
  org: OrgScope,
  page: PageRequest,
) {
  await platform.tokenUses.write()
  const { rows, next_cursor } = await listOrgTokens(platform.store.db, org.id, page)
  return { tokens: rows.map(row => ({ ...describeToken(row), created_by: row.created_by })), next_cursor }
}

export async function revokeTokenOfOrg(
  platform: Rows,
  caller: Caller,
  org: OrgScope,
  id: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    if (!(await revokeOrgToken(tx, org.id, id, platform.clock.now())))
      throw new Fault('not_found', 'The org has no such token, or it is revoked already.')
    await audit(platform, tx, caller, { action: 'token.revoke', orgId: org.id, target: id })
  })
}
