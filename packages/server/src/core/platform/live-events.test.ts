// Event streams on several nodes: a stream of one node hears what another node changed.
import { expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { addAccount, addProject } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { makeToken } from '../identity/tokens.ts'
import { LiveEvents } from './live-events.ts'

onEveryStore((store, another) => {
  it('a stream of one node hears what another node changed', async () => {
    const account = await addAccount(store())
    const token = await makeToken(store().db, systemClock.now(), {
      kind: 'cli',
      label: 'test',
      accountId: account,
    })
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
