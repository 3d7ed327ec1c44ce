import { beforeAll, describe, expect, it } from 'vitest'
import { addAccount } from '../testing/rows.ts'
import { onEveryStore } from '../testing/stores.ts'
import { findByTokenHash, insertToken } from './identity/accounts.ts'
import type { Db, Store } from './store.ts'

describe('a cached query', () => {
  onEveryStore((store, another) => {
    beforeAll(() => addAccount(store(), 'acc_1'))

    let tokens = 0
    async function newToken(): Promise<string> {
      const hash = `hash-${++tokens}`
      const row = {
        id: `tok_${tokens}`,
        hash,
        account_id: 'acc_1',
        org_id: null,
        kind: 'cli',
        label: '',
        created_at: 1,
        revoked_at: null,
      }
      await insertToken(store().db, row as Parameters<typeof insertToken>[1])
      return hash
    }
    const revoke = (db: Db, hash: string) =>
      db.updateTable('tokens').set({ revoked_at: 2 }).where('hash', '=', hash).execute()
    const rename = (db: Db, login: string) => db.updateTable('accounts').set({ login }).execute()
    const found = async ({ db }: Store, hash: string) => (await findByTokenHash(db, hash)).rows[0]?.login

    it('sees a write as soon as it is done, even if the same query runs meanwhile', async () => {
      const hash = await newToken()
      for (let i = 0; i < 50; i++) {
        const asking = Array.from({ length: 5 }, () => found(store(), hash))
        await rename(store().db, `ada-${i}`)
        expect(await found(store(), hash)).toBe(`ada-${i}`)
        await Promise.all(asking)
        expect(await found(store(), hash)).toBe(`ada-${i}`)
      }
      await revoke(store().db, hash)
      expect(await found(store(), hash)).toBeUndefined()
    })

    it('sees the writes of a transaction once it is committed, and never those of one that was rolled back', async () => {
      const hash = await newToken()
      await rename(store().db, 'before')
      const cutOff = store().transact(async tx => {
        await rename(tx, 'never')
        expect(await found({ ...store(), db: tx }, hash)).toBe('never')
        throw new Error('cut off')
      })
      await expect(cutOff).rejects.toThrow('cut off')
      expect(await found(store(), hash)).toBe('before')
      await store().transact(tx => rename(tx, 'after'))
      expect(await found(store(), hash)).toBe('after')
    })

    it('finds a row that did not exist at the first call', async () => {
      const next = `hash-${tokens + 1}`
      expect(await found(store(), next)).toBeUndefined()
      expect(await newToken()).toBe(next)
      expect(await found(store(), next)).toBeDefined()
    })

    it('sees a write of another program as soon as it is done', async () => {
      const hash = await newToken()
      const { db } = await another()
      for (let i = 0; i < 50; i++) {
        await rename(db, `grace-${i}`)
        expect(await found(store(), hash)).toBe(`grace-${i}`)
      }
      await revoke(db, hash)
      expect(await found(store(), hash)).toBeUndefined()
    })
  })
})
