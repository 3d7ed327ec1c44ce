// Deletes the accounts whose grace time is over, with everything they own. Each step can be interrupted: the next sweep goes on.
import { updateAccount } from '../../../store/admin/users.ts'
import {
  accountsToDelete,
  deleteAccount,
  deleteOwnedRows,
  forgetInAudit,
  handOverOrgTokens,
  orgsOf,
  someProjectsOf,
} from '../../../store/identity/account-deletion.ts'
import { findAccountById, lockAccount } from '../../../store/identity/accounts.ts'
import { deleteOrg, lockOrg } from '../../../store/orgs/orgs.ts'
import type { Db, Tx } from '../../../store/store.ts'
import type { AccountRow } from '../../../store/tables.ts'
import type { Rows } from '../../base/platform.ts'
import { removeEnded, removeProject } from '../../projects/removal.ts'

/** Accounts that one sweep deletes. */
const accountsAtOnce = 10
const projectsAtOnce = 20

export async function removeDeletedAccounts(platform: Rows): Promise<void> {
  const { store, clock } = platform
  const accounts = await accountsToDelete(store.db, clock.now(), accountsAtOnce)
  for (const account of accounts) await removeAccount(platform, account)
}

async function removeAccount(platform: Rows, account: AccountRow): Promise<void> {
  const { store } = platform
  if (!(await store.transact(tx => shutOut(platform, tx, account.id)))) return
  const owners = [account.id, ...(await ownOrgs(store.db, account.id))]
  await removeProjects(platform, owners)
  let after: string | undefined = ''
  while (after !== undefined) after = await forgetInAudit(store.db, account.login, after)
  await store.transact(async (tx, changed) => {
    await lockAccount(tx, account.id)
    for (const org of await ownOrgs(tx, account.id)) {
      await lockOrg(tx, org)
      await deleteOwnedRows(tx, org)
      await deleteOrg(tx, org)
    }
    await handOverOrgTokens(tx, account.id)
    await deleteOwnedRows(tx, account.id)
    await deleteAccount(tx, account.id)
    await changed({ topic: 'workspace', key: account.id })
  })
}

/** From now on nobody signs in. Returns false if the account is kept. */
async function shutOut({ clock }: Pick<Rows, 'clock'>, tx: Tx, id: string): Promise<boolean> {
  await lockAccount(tx, id)
  const account = await findAccountById(tx, id)
  const now = clock.now()
  if (!account || account.delete_at === null || account.delete_at > now) return false
  await updateAccount(tx, id, { disabled_at: account.disabled_at ?? now })
  return true
}

/** The orgs without other members. */
const ownOrgs = async (db: Db, accountId: string): Promise<string[]> =>
  (await orgsOf(db, accountId)).flatMap(({ id, members }) => (members === 1 ? id : []))

async function removeProjects(platform: Rows, owners: readonly string[]): Promise<void> {
  for (;;) {
    const projects = await someProjectsOf(platform.store.db, owners, projectsAtOnce)
    if (projects.length === 0) return
    // One whose deletion was interrupted has ended already.
    for (const project of projects)
      if (!(await removeProject(platform, project))) await removeEnded(platform, project)
  }
}
