// A new node takes the settings of the platform with a code: once, soon, and nobody else can read them.
import { expect, it } from 'vitest'
import { inviteNode, nodeInviteMs, readNodeCode } from '../core/platform/node-invites.ts'
import { onEveryServer } from '../testing/server.ts'

const settings = 'SVCD_SECRET_KEY=very-secret\n'

onEveryServer(server => {
  const platform = () => server().running.platform
  const join = (invite: string) => server().request('/nodes/join', { method: 'POST', body: { invite } })

  it('the code opens the settings, once, and the audit log says from where', async () => {
    const { id, open } = readNodeCode(await inviteNode(platform(), settings))
    const { status, json } = await join(id)
    expect(status).toBe(200)
    expect(open(json.sealed)).toBe(settings)
    expect(await join(id)).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } })
    const rows = await platform().store.db.selectFrom('audit').selectAll().orderBy('created_at').execute()
    expect(rows.filter(row => row.action.startsWith('node.')).map(row => [row.action, row.ip])).toEqual([
      ['node.invite', ''],
      ['node.join', '127.0.0.1'],
    ])
  })

  it('neither the database nor the answer tells the settings without the code', async () => {
    const code = await inviteNode(platform(), settings)
    const kept = JSON.stringify(await platform().store.db.selectFrom('node_invites').selectAll().execute())
    const { id } = readNodeCode(code)
    const { sealed } = (await join(id)).json
    for (const seen of [kept, id, sealed]) {
      expect(seen).not.toContain(code)
      expect(seen).not.toContain('very-secret')
    }
    const other = readNodeCode(code.replace(/^./, first => (first === 'a' ? 'b' : 'a')))
    expect(() => other.open(sealed)).toThrow()
    expect(() => readNodeCode(id).open(sealed)).toThrow()
  })

  it('of several requests with one code at the same time, one gets the settings', async () => {
    const { id } = readNodeCode(await inviteNode(platform(), settings))
    const answers = await Promise.all(Array.from({ length: 4 }, () => join(id)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 404, 404, 404])
  })

  it('a code that is too old opens nothing', async () => {
    const { id } = readNodeCode(await inviteNode(platform(), settings))
    server().clock.advance(nodeInviteMs)
    expect(await join(id)).toMatchObject({ status: 404 })
  })

  it('an address that tries many codes is slowed down', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await join(`guess-${i}`)).status)
    expect(statuses.at(-1)).toBe(429)
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
  })
})
