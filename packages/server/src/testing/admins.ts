// Makes accounts platform admins, for tests of the operator area.
import type { TestServer } from './server.ts'

export async function setAdmin(server: TestServer, id: string, isAdmin: boolean): Promise<void> {
  const { db } = server.running.platform.store
  await db
    .updateTable('accounts')
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where('id', '=', id)
    .execute()
}

export async function platformAdmin(server: TestServer) {
  const account = await server.account()
  await setAdmin(server, account.id, true)
  return account
}

/** The given accounts and no others are platform admins. */
export async function setOnlyAdmins(server: TestServer, ids: readonly string[]): Promise<void> {
  const { db } = server.running.platform.store
  await db.updateTable('accounts').set({ is_admin: 0 }).execute()
  for (const id of ids) await setAdmin(server, id, true)
}
