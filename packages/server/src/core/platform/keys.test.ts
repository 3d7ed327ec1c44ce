import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Keyring, SealKey } from '../../lib/seal.ts'
import { Secret } from '../../lib/secret.ts'
import { addTlsKey, findTlsKey } from '../../store/domains/tls-keys.ts'
import { listEnvRows, saveEnvRow } from '../../store/env/env.ts'
import { lockProject } from '../../store/projects/projects.ts'
import { addProject } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { openTlsKey, sealTlsKey } from '../domains/certificates/private-keys.ts'
import { placeOf } from '../env/values.ts'
import { findUnreadable, resealAll } from './keys.ts'

onEveryStore((store, another) => {
  it('a key rotation waits for a write that took the old key before there was a new one', async () => {
    const project_id = (await addProject(store())).id
    const [old, fresh] = [SealKey.fresh(), SealKey.fresh()]
    const second = { store: await another(), keyring: new Keyring(() => [fresh, old]) }
    let resealing: Promise<void> = Promise.resolve()
    await store().transact(async tx => {
      await lockProject(tx, project_id)
      resealing = resealAll(second, () => undefined)
      // A rotation that did not wait would be through by now.
      await Promise.race([resealing, setTimeout(300)])
      const place = { project_id, key: 'LATE', environment: 'preview', branch: 'next' } as const
      const sealed = old.seal('value', placeOf(place))
      await saveEnvRow(tx, { ...place, ...sealed, scope: 'runtime', secret: 1, updated_at: 1 })
    })
    await resealing
    expect(await findUnreadable(second)).toEqual([])
    const [row] = await listEnvRows(store().db, project_id)
    expect(fresh.open(row!, placeOf(row!))).toBe('value')
  })

  it('a key rotation seals private keys of TLS anew, too', async () => {
    const [old, fresh] = [SealKey.fresh(), SealKey.fresh()]
    const id = 'certificate www.example.com'
    const before = { store: store(), keyring: new Keyring(() => [old]) }
    await addTlsKey(
      store().db,
      sealTlsKey(before, id, { domain: null, project_id: null }, new Secret('a private key')),
    )
    const vault = { store: store(), keyring: new Keyring(() => [fresh, old]) }
    await resealAll(vault, () => undefined)
    const unreadable = await findUnreadable(vault)
    expect(unreadable.filter(({ project }) => project === 'platform')).toEqual([])
    expect((await findTlsKey(store().db, id))?.key_id).toBe(fresh.id)
    expect((await openTlsKey(vault, id))?.reveal()).toBe('a private key')
  })
})
