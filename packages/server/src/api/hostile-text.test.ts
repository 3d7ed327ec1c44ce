import { type EndpointKey, endpoints } from '@svc/contract'
import { expect, it } from 'vitest'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

const nothing = '404 not_found'
const invalid = '400 invalid_request'

onEveryServer(server => {
  it.each(['%00', 'a%00', 'Infinity', '1.5', '-1', '9'.repeat(30)])(
    'no endpoint fails on %s in its path',
    async hostile => {
      const team = await makeTeam(server())
      const project = freshName()
      await send(server(), 'POST /projects', team.owner, { name: project, org: team.org })
      const failed: string[] = []
      for (const key of Object.keys(endpoints) as EndpointKey[]) {
        const name = key.includes('/orgs/') ? team.org : project
        for (const line of [key, key.replace(':name', name)]) {
          if (!line.includes(':')) continue
          const { status } = await send(server(), line.replace(/:\w+/g, hostile) as EndpointKey, team.owner)
          if (status === 500) failed.push(line)
        }
      }
      expect(failed).toEqual([])
    },
  )

  it('a name with NUL is of nothing', async () => {
    const { owner } = await makeTeam(server())
    expect(refusal(await send(server(), 'GET /projects/%00', owner))).toEqual(nothing)
    expect(refusal(await send(server(), 'GET /projects?org=%00', owner))).toEqual(invalid)
  })

  it.each([
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud800b'],
  ])('text with %s is refused, since not every database keeps it', async (_, text) => {
    const { org, owner } = await makeTeam(server())
    const refused = [
      await send(server(), 'POST /tokens', owner, { kind: 'ai', label: text }),
      await send(server(), `POST /orgs/${org}/tokens`, owner, { kind: 'ai', label: text }),
      await send(server(), `PATCH /orgs/${org}`, owner, { display_name: text }),
      await send(server(), 'POST /auth/signin', owner, { login: text, password: 'correct horse' }),
    ]
    expect(refused.map(refusal)).toEqual(refused.map(() => invalid))
    expect(refused[0]?.json.error.message).toMatch(/^label: /)
  })

  it('a cursor that no list gave out is refused, whatever is in it', async () => {
    const { owner } = await makeTeam(server())
    for (const text of ['1 \0', '1 tok_\ud800', '999999999999999 x y', ' ', '-1 a']) {
      const cursor = Buffer.from(text).toString('base64url')
      const { status } = await send(server(), `GET /tokens?cursor=${cursor}`, owner)
      expect([200, 400]).toContain(status)
    }
  })
})
