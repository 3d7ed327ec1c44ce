import { expect, it } from 'vitest'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

onEveryServer(server => {
  it('wrong passwords of a path count together with those that other nodes saw', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, {
      'index.html': 'secret',
      _headers: '/*\n  Basic-Auth: ann:s3cret',
    })
    const see = async (credentials: string) => {
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
      return (await server().site(name, '/', { headers: { authorization } })).status
    }
    expect([await see('ann:wrong'), await see('ann:s3cret')]).toEqual([401, 200])
    const { db } = server().running.platform.store
    const counted = db.updateTable('rate_limits').where('key', 'like', 'basic-auth %')
    expect((await counted.set({ count: 19 }).executeTakeFirst()).numUpdatedRows).toBe(1n)
    expect([await see('ann:wrong'), await see('ann:s3cret')]).toEqual([401, 429])
  })
})
