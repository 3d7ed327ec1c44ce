import { limits } from '@svc/contract'
import { expect, it } from 'vitest'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, type Team } from '../testing/team.ts'

/** The first bytes tell what a file is; the rest is padding. */
const image = (head: string, size = 100): Buffer => Buffer.concat([Buffer.from(head, 'hex')], size)
const png = image('89504e470d0a1a0a')
const images = {
  'image/png': png,
  'image/jpeg': image('ffd8ffe0'),
  'image/gif': image('474946383961'),
  'image/webp': image('524946462400000057454250'),
}

onEveryServer(server => {
  const upload = (team: Team, body: Buffer | string, type?: string, who: Person = team.admin) =>
    server().request(`/orgs/${team.org}/icon`, {
      method: 'PUT',
      token: who.token,
      body,
      headers: type ? { 'content-type': type } : {},
    })

  it.each(Object.entries(images))(
    'the API takes an %s and serves it as nothing but that',
    async (type, bytes) => {
      const team = await makeTeam(server())
      const { status, json } = await upload(team, bytes, type)
      expect([status, json.ok]).toEqual([200, true])
      expect(json.icon_url).toMatch(new RegExp(`^/orgs/${team.org}/icon\\?v=[0-9a-f]{16}$`))
      const icon = await send(server(), `GET ${json.icon_url}` as 'GET /')
      expect(icon.status).toBe(200)
      expect(icon.body.equals(bytes)).toBe(true)
      expect(icon.headers).toMatchObject({
        'content-type': type,
        'content-length': String(bytes.length),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      expect((await send(server(), `GET /orgs/${team.org}`, team.member)).json.icon_url).toBe(json.icon_url)
      expect((await send(server(), 'GET /orgs', team.member)).json.orgs[0].icon_url).toBe(json.icon_url)
    },
  )

  it('the content of an icon decides its type, not the header', async () => {
    const team = await makeTeam(server())
    for (const type of ['text/html', 'image/svg+xml', undefined])
      expect((await upload(team, png, type)).status).toBe(200)
    const { headers } = await send(server(), `GET /orgs/${team.org}/icon`)
    expect(headers['content-type']).toBe('image/png')
  })

  it.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML', '<!doctype html>'],
    ['nothing', ''],
    ['half a signature', Buffer.from('89504e', 'hex')],
  ])('the API refuses %s that claims to be an image', async (_, body) => {
    const team = await makeTeam(server())
    expect(refusal(await upload(team, body, 'image/png'))).toBe('415 unsupported_media_type')
    expect((await send(server(), `GET /orgs/${team.org}`, team.member)).json.icon_url).toBe(null)
  })

  it('an icon has at most 512 KB', async () => {
    const team = await makeTeam(server())
    const head = '89504e470d0a1a0a'
    expect((await upload(team, image(head, limits.iconBytes))).status).toBe(200)
    expect(refusal(await upload(team, image(head, limits.iconBytes + 1)))).toBe('413 payload_too_large')
  })

  it('an icon gets a new URL with new content, and browsers check the bare URL again', async () => {
    const team = await makeTeam(server())
    const one = (await upload(team, png)).json.icon_url
    const two = (await upload(team, images['image/gif'])).json.icon_url
    expect(two).not.toBe(one)
    for (const address of [`/orgs/${team.org}/icon`, one]) {
      const { headers, body } = await send(server(), `GET ${address}` as 'GET /')
      expect(body.equals(images['image/gif'])).toBe(true)
      expect(headers['cache-control']).toBe('public, max-age=300')
    }
  })

  it('an icon is not sent again to a client that has it', async () => {
    const team = await makeTeam(server())
    const { icon_url } = (await upload(team, png)).json
    const first = await server().request(icon_url)
    const headers = { 'if-none-match': `W/"other", ${first.headers.etag}` }
    const again = await server().request(icon_url, { headers })
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, first.headers.etag])
    const head = await server().request(icon_url, { method: 'HEAD' })
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, '100'])
  })

  it('an org without an icon shows the avatar of an account whose installation it uses, or nothing', async () => {
    const team = await makeTeam(server())
    const icon = () => send(server(), `GET /orgs/${team.org}/icon`)
    expect(refusal(await icon())).toBe('404 not_found')
    const { json } = await send(server(), 'GET /github', team.member)
    const body = { installation_id: json.installations[0].id }
    await send(server(), `POST /orgs/${team.org}/installations`, team.member, body)
    const redirect = await icon()
    const { dashboard } = server().running.urls
    expect([redirect.status, redirect.headers.location]).toEqual([
      302,
      `${dashboard}/avatars/${team.member.login}.svg`,
    ])
    await upload(team, png)
    expect((await icon()).status).toBe(200)
    const removed = await send(server(), `DELETE /orgs/${team.org}/icon`, team.admin)
    expect(removed.json).toEqual({ ok: true })
    expect((await icon()).status).toBe(302)
    expect((await send(server(), `GET /orgs/${team.org}`, team.member)).json.icon_url).toBe(null)
  })

  it('an org without an icon shows first of all the avatar of the owner of its oldest repository', async () => {
    const team = await makeTeam(server())
    const icon = async () => (await send(server(), `GET /orgs/${team.org}/icon`)).headers.location
    const { dashboard } = server().running.urls
    const { json } = await send(server(), 'GET /github', team.admin)
    const body = { installation_id: json.installations[0].id }
    await send(server(), `POST /orgs/${team.org}/installations`, team.admin, body)
    const connect = async (repo: string) => {
      const name = freshName()
      await send(server(), 'POST /projects', team.member, { name, org: team.org })
      expect((await send(server(), `POST /projects/${name}/repo`, team.member, { repo })).status).toBe(200)
      return name
    }
    const first = await connect(`${team.member.login}/site`)
    server().clock.advance(1_000)
    await connect(`${team.org}/site`)
    expect(await icon()).toBe(`${dashboard}/avatars/${team.member.login}.svg`)
    await send(server(), `DELETE /projects/${first}/repo`, team.member)
    expect(await icon()).toBe(`${dashboard}/avatars/${team.org}.svg`)
  })

  it('the icon of an unknown org is not found', async () => {
    expect(refusal(await send(server(), 'GET /orgs/no-such-org/icon'))).toBe('404 not_found')
  })
})
