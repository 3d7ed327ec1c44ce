import { describe, expect, it } from 'vitest'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { cookieOf, newSite, setPassword, unlock } from '../testing/sites.ts'
import { freshName } from '../testing/team.ts'

const hour = 3_600_000
const build = (hash: string) => ({
  'index.html': `<script src="/assets/app.${hash}.js"></script>`,
  [`assets/app.${hash}.js`]: `run("${hash}")`,
  [`assets/page.${hash}.html`]: hash,
})
const scriptOf = (hash: string) => `/assets/app.${hash}.js`

onEveryServer(server => {
  async function newBuiltSite() {
    const { owner, name, path, activate, ...site } = await newSite(server())
    const upload = (hash: string, query?: string) => site.upload(build(hash), query)
    /** The deployment that the script of a build comes from, or the status if it is not there. */
    const origin = async (hash: string, host = name) => {
      const { status, headers, text } = await server().site(host, scriptOf(hash))
      return status === 200 && text === `run("${hash}")` ? headers['x-svc-deployment'] : status
    }
    const remove = (id: string) => send(server(), `DELETE ${path}/deployments/${id}`, owner)
    return { owner, name, path, upload, origin, remove, activate }
  }

  describe('the hashed files of an earlier deployment', () => {
    it('stay for a day after it was superseded, and its HTML does not', async () => {
      const site = await newBuiltSite()
      const first = await site.upload('aaaa1111')
      server().clock.advance(48 * hour)
      const second = await site.upload('bbbb2222')
      expect(await site.origin('aaaa1111')).toBe(first)
      expect(await site.origin('bbbb2222')).toBe(second)
      expect(await site.origin('cccc3333')).toBe(404)
      expect((await server().site(site.name, '/assets/page.aaaa1111.html')).status).toBe(404)
      const third = await site.upload('cccc3333')
      expect([await site.origin('aaaa1111'), await site.origin('bbbb2222')]).toEqual([first, second])
      server().clock.advance(23 * hour)
      expect(await site.origin('aaaa1111')).toBe(first)
      server().clock.advance(hour)
      expect([await site.origin('aaaa1111'), await site.origin('bbbb2222')]).toEqual([404, 404])
      expect(await site.origin('cccc3333')).toBe(third)
    })

    it('stay after a rollback, of the deployment that was live until then', async () => {
      const site = await newBuiltSite()
      const first = await site.upload('aaaa1111')
      const second = await site.upload('bbbb2222')
      server().clock.advance(48 * hour)
      expect(await site.origin('aaaa1111')).toBe(404)
      expect((await site.activate(first)).status).toBe(200)
      expect([await site.origin('aaaa1111'), await site.origin('bbbb2222')]).toEqual([first, second])
    })

    it('are gone at once when the deployment is deleted', async () => {
      const site = await newBuiltSite()
      const first = await site.upload('aaaa1111')
      await site.upload('bbbb2222')
      expect(await site.origin('aaaa1111')).toBe(first)
      expect((await site.remove(first)).status).toBe(200)
      expect(await site.origin('aaaa1111')).toBe(404)
    })

    it('stay at the URL of a branch and at its domains, and not at those of production', async () => {
      const site = await newBuiltSite()
      const domain = `${freshName()}.example.com`
      await site.upload('cccc3333')
      const first = await site.upload('aaaa1111', '?branch=next')
      await send(server(), `POST ${site.path}/domains`, site.owner, { domain, branch: 'next' })
      const second = await site.upload('bbbb2222', '?branch=next')
      const branch = `next--${site.name}`
      expect(await site.origin('aaaa1111', branch)).toBe(first)
      expect(await site.origin('bbbb2222', branch)).toBe(second)
      expect(await site.origin('cccc3333', branch)).toBe(404)
      expect(await site.origin('aaaa1111')).toBe(404)
      const atDomain = await server().request(scriptOf('aaaa1111'), { host: domain })
      expect(atDomain.headers['x-svc-deployment']).toBe(first)
      server().clock.advance(24 * hour)
      expect(await site.origin('aaaa1111', branch)).toBe(404)
    })

    it('are behind the password of the site', async () => {
      const site = await newBuiltSite()
      const first = await site.upload('aaaa1111')
      await site.upload('bbbb2222')
      expect(await site.origin('aaaa1111')).toBe(first)
      await setPassword(server(), site.owner.token, site.name, 'hunter22')
      expect(await site.origin('aaaa1111')).toBe(401)
      const cookie = cookieOf(await unlock(server(), site.name, { password: 'hunter22', to: '/' }))
      const { text, headers } = await server().site(site.name, scriptOf('aaaa1111'), { headers: { cookie } })
      expect([text, headers['cache-control']]).toEqual(['run("aaaa1111")', 'private, no-store'])
      expect(await site.origin('aaaa1111')).toBe(401)
    })
  })
})
