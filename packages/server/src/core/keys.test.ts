import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import { Keyring, SealKey } from '../lib/seal.ts'
import { insertAccount } from '../store/accounts.ts'
import { listEnvRows, saveEnvRow } from '../store/env.ts'
import { insertProject, lockProject } from '../store/projects.ts'
import { onEveryStore } from '../testing/stores.ts'
import { placeOf } from './env.ts'
import { findUnreadable, resealAll } from './keys.ts'

onEveryStore((store, another) => {
  it('waits for a write that took the old key before there was a new one', async () => {
    const project_id = await makeProject()
    const [old, fresh] = [SealKey.fresh(), SealKey.fresh()]
    const second = { store: await another(), keyring: new Keyring(() => [fresh, old]) }
    let resealing: Promise<void> = Promise.resolve()
    await store().transact(async tx => {
      await lockProject(tx, project_id)
      resealing = resealAll(second, () => undefined)
      // A rotation that did not wait would be through by now.
      await Promise.race([resealing, setTimeout(300)])
      const place = { project_id, key: 'LATE' }
      const sealed = old.seal('value', placeOf(place))
      await saveEnvRow(tx, { ...place, ...sealed, scope: 'runtime', updated_at: 1 })
    })
    await resealing
    expect(await findUnreadable(second)).toEqual([])
    const [row] = await listEnvRows(store().db, project_id)
    expect(fresh.open(row!, placeOf(row!))).toBe('value')
  })

  async function makeProject(): Promise<string> {
    const [account_id, id] = [newId('acc'), newId('prj')]
    await store().transact(async tx => {
      await insertAccount(tx, {
        id: account_id,
        forge_id: 1,
        login: 'ada',
        email: null,
        password_hash: null,
        is_admin: 0,
        created_at: 1,
      })
      await insertProject(tx, {
        id,
        name: 'rotating',
        account_id,
        org_id: null,
        active_deployment_id: null,
        expires_at: null,
        created_at: 1,
        access_mode: 'public',
        password_hash: null,
        access_generation: 0,
      })
    })
    return id
  }
})
