// Creates orgs for tests directly in the store.
import type { Role } from '@svc/contract'
import { newId, randomText } from '../lib/ids.ts'
import type { TestServer } from './server.ts'

/** Creates an org. The members are given by their account ids. */
export async function makeOrg(
  server: TestServer,
  members: Record<string, Role>,
): Promise<{ id: string; name: string }> {
  const { db } = server.running.platform.store
  const now = server.clock.now()
  const org = { id: newId('org'), name: `org-${randomText(12)}`, display_name: null, created_at: now }
  await db.insertInto('orgs').values(org).execute()
  for (const [account_id, role] of Object.entries(members))
    await db.insertInto('members').values({ org_id: org.id, account_id, role, joined_at: now }).execute()
  return org
}
