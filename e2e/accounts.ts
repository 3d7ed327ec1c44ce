// Creates accounts in the database of a running svcd, as `svcd users create` does, but without a process for each.
import path from 'node:path'
import { createAccount } from '@svc/server/dist/core/identity/accounts.js'
import { makeToken } from '@svc/server/dist/core/identity/tokens.js'
import { systemClock as clock } from '@svc/server/dist/lib/clock.js'
import { openSqlite } from '@svc/server/dist/store/sqlite/store.js'
import { hashPasswordsCheaply } from '@svc/server/dist/testing/passwords.js'

export interface Accounts {
  /** Returns a `cli` token of the new account. */
  create(login: string, password: string): Promise<string>
  close(): Promise<void>
}

export async function openAccounts(dataDir: string): Promise<Accounts> {
  hashPasswordsCheaply()
  const store = await openSqlite(path.join(dataDir, 'svc.db'))
  return {
    async create(login, password) {
      const { id } = await createAccount({ store, clock }, { login, password })
      const token = { kind: 'cli', label: 'test', accountId: id } as const
      return (await makeToken(store.db, clock.now(), token)).token
    },
    close: () => store.close(),
  }
}
