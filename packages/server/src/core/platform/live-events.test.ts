// Event streams: how the accounts share them, and what a stream hears of other nodes.
import { expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { addAccount, addProject } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { makeToken } from '../identity/tokens.ts'
import { LiveEvents } from './live-events.ts'

onEveryStore((store, another) => {
  async function someone() {
    const account = await addAccount(store())
    const wish = { kind: 'cli', label: 'test', accountId: account } as const
    return { account, token: await makeToken(store().db, systemClock.now(), wish) }
  }

  it('when all streams are taken, the account with the most gives one up to an account with fewer', async () => {
    const [many, few] = [await someone(), await someone()]
    const events = new LiveEvents(store(), systemClock, 3)
    const open = ({ token, account }: typeof many) => events.open(token.id, account)
    const streams = [await open(many), await open(many), await open(many)]
    const first = await open(few)
    expect([...streams, first].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
    expect(events.size).toBe(3)
    for (const who of [few, many]) await expect(open(who)).rejects.toThrow('Too many event streams')
    expect(events.size).toBe(3)
    events.close()
  })

  it('a stream of one node hears what another node changed', async () => {
    const { account, token } = await someone()
    const { name } = await addProject(store(), undefined, account)
    const events = new LiveEvents(await another(), systemClock)
    const stream = await events.open(token.id, account)
    const said = stream.iterator()
    expect(String((await said.next()).value)).toContain('event: ready')
    await store().transact(async (_tx, changed) => changed({ topic: 'project', key: name }))
    expect(String((await said.next()).value)).toBe(
      `event: change\ndata: {"topic":"project","project":"${name}","id":null}\n\n`,
    )
    events.close()
    expect((await said.next()).done).toBe(true)
  })
})
