// What a reverse proxy asks before it gets a certificate.
import { expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

onEveryServer(server => {
  const statusOf = async (host: string) =>
    (await send(server(), `GET /hosts/known?domain=${encodeURIComponent(host)}`)).status

  it('the platform knows its own hosts, its sites and their permanent URLs, and attached custom domains', async () => {
    const who = await server().account()
    const { domain } = server().running.platform
    const name = await deploySite(server(), who.token, { 'index.html': 'hello' })
    const { json } = await send(server(), `GET /projects/${name}`, who)
    const permanent = `${new URL(json.deployments[0].url).hostname}`
    const custom = `www.${name}.example`
    expect(await statusOf(custom)).toBe(404)
    await send(server(), `POST /projects/${name}/domains`, who, { domain: custom })
    const known = [domain, `api.${domain}`, `app.${domain}`, `${name}.${domain}`, permanent, custom]
    for (const host of [...known, custom.toUpperCase(), `${custom}.`])
      expect([host, await statusOf(host)]).toEqual([host, 200])
    await send(server(), `DELETE /projects/${name}/domains/${custom}`, who)
    expect(await statusOf(custom)).toBe(404)
    await send(server(), `DELETE /projects/${name}`, who)
    expect(await statusOf(`${name}.${domain}`)).toBe(404)
  })

  it('the platform knows the host of a branch as it writes it alone, since other spellings have no end', async () => {
    const { token } = await server().account()
    const { domain } = server().running.platform
    const name = await deploySite(server(), token, { 'index.html': 'hello' })
    const archive = archiveOf({ 'index.html': 'preview' })
    const { json } = await server().upload(token, name, archive, '?branch=fix-42')
    expect(await statusOf(new URL(json.url).hostname)).toBe(200)
    for (const label of [`fix--42--${name}`, `fix---42--${name}`, `-fix-42--${name}`])
      expect([label, await statusOf(`${label}.${domain}`)]).toEqual([label, 404])
  })

  it('the platform knows no made-up hosts', async () => {
    const { domain } = server().running.platform
    const made = [`nobody-here.${domain}`, `a.b.${domain}`, `x--nobody.${domain}`, `www.${domain}`]
    for (const host of [...made, 'example.org', '127.0.0.1', '*', `*.${domain}`, '../x', `.${domain}`])
      expect([host, await statusOf(host)]).toEqual([host, 404])
    expect((await send(server(), 'GET /hosts/known')).status).toBe(400)
    for (const host of ['x'.repeat(300), 'a\u0000b', '']) expect(await statusOf(host)).toBe(400)
  })
})
