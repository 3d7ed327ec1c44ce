import { expect, it } from 'vitest'
import { Keyring, SealKey } from '../../lib/seal.ts'
import { countByKey } from '../../store/platform/sealed.ts'
import { onEveryServer } from '../../testing/server.ts'
import { findUnreadable, resealAll } from '../platform/keys.ts'
import { cronSecretOf } from './secret.ts'

onEveryServer(server => {
  async function newProject(): Promise<string> {
    const { token } = await server().account()
    const name = `cron-${crypto.randomUUID().slice(0, 8)}`
    return (await server().client(token)('POST /projects', { body: { name } })).id
  }

  it('the secret of a project is made once, however many ask for it at the same moment, and is another for each project', async () => {
    const { platform } = server().running
    const [one, other] = [await newProject(), await newProject()]
    const asked = await Promise.all([1, 2, 3].map(() => cronSecretOf(platform, one)))
    const secrets = new Set(asked.map(secret => secret.reveal()))
    expect([...secrets]).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
    expect(secrets.has((await cronSecretOf(platform, other)).reveal())).toBe(false)
  })

  it('the secret of a project is sealed in the database, and is sealed anew when the keys are rotated', async () => {
    const { platform } = server().running
    const project = await newProject()
    const secret = (await cronSecretOf(platform, project)).reveal()
    const { db } = platform.store
    const stored = await db.selectFrom('cron_secrets').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(secret)
    const fresh = SealKey.fresh()
    const keys = [fresh, ...platform.keyring.keys]
    const vault = { store: platform.store, keyring: new Keyring(() => keys) }
    await resealAll(vault, () => undefined)
    expect(await findUnreadable(vault)).toEqual([])
    expect([...(await countByKey(db)).keys()]).toEqual([fresh.id])
    expect((await cronSecretOf(vault, project)).reveal()).toBe(secret)
  })
})
