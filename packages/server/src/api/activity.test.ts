import { expect, it } from 'vitest'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person } from '../testing/team.ts'

const day = 86_400_000

onEveryServer(server => {
  /** Makes a project and sets a variable in it. */
  async function newProject(who: Person, org?: string): Promise<string> {
    const name = freshName()
    for (const [line, body] of [
      ['POST /projects', { name, ...(org && { org }) }],
      [`PUT /projects/${name}/env/GREETING`, { value: 'hello' }],
    ] as const) {
      server().clock.advance(1_000)
      expect((await send(server(), line, who, body)).status).toBeLessThan(300)
    }
    return name
  }

  const activity = async (who: { token: string }, query = '') => {
    const { entries } = (await send(server(), `GET /activity${query}`, who)).json
    return entries.map(({ action, project }: { action: string; project: string }) => `${action} ${project}`)
  }

  it('the activity of an account holds the changes of its personal projects, newest first', async () => {
    const [person, other] = [await server().account(), await server().account()]
    expect(await activity(person)).toEqual([])
    const [one, two] = [await newProject(person), await newProject(person)]
    await newProject(other)
    const expected = [`env.set ${two}`, `project.create ${two}`, `env.set ${one}`, `project.create ${one}`]
    expect(await activity(person)).toEqual(expected)
    expect(await activity(person, '?limit=1')).toEqual(expected.slice(0, 1))
    const { entries } = (await send(server(), 'GET /activity', person)).json
    expect(entries[0]).toMatchObject({ actor: person.login, target: 'GREETING', details: {} })
    expect(JSON.stringify(entries)).not.toContain('hello')
  })

  it('members of an org see what concerns its projects, admins also the org itself', async () => {
    const team = await makeTeam(server())
    await newProject(team.member)
    const shared = await newProject(team.member, team.org)
    const query = `?org=${team.org}`
    expect(await activity(team.member, query)).toEqual([`env.set ${shared}`, `project.create ${shared}`])
    const all = await activity(team.admin, query)
    expect(all.slice(0, 2)).toEqual([`env.set ${shared}`, `project.create ${shared}`])
    expect(all).toContain('member.join null')
    expect(refusal(await send(server(), `GET /activity${query}`, team.outsider))).toBe('404 not_found')
  })

  it('the activity ends after 30 days', async () => {
    const person = await server().account()
    const name = await newProject(person)
    server().clock.advance(31 * day)
    expect(await activity(person)).toEqual([])
    await send(server(), `PUT /projects/${name}/env/GREETING`, person, { value: 'again' })
    expect(await activity(person)).toEqual([`env.set ${name}`])
  })
})
