import { describe, expect, it } from 'vitest'
import { archiveOf } from '../../testing/archives.ts'
import { type HttpAnswer, onEveryServer } from '../../testing/server.ts'
import { cookieOf, deploySite, setPassword, unlock } from '../../testing/sites.ts'

const password = 'correct horse'
const files = {
  'index.html': 'the secret page',
  'assets/app.3f9a1b2c.js': 'secret()',
  'docs/index.html': 'the secret docs',
  '404.html': 'the secret 404',
  _headers: '/*\n  Cache-Control: public, max-age=600\n  CDN-Cache-Control: max-age=600\n  X-Own: yes\n',
}

/** Through a proxy that the server trusts, so that each test has an address of its own. */
let lastAddress = 0
const newAddress = () => ({ 'x-forwarded-for': `192.0.2.${++lastAddress % 250}` })

onEveryServer(
  server => {
    const protectedSite = async () => {
      const { token } = await server().account()
      const name = await deploySite(server(), token, files)
      expect((await server().site(name)).text).toBe('the secret page')
      await setPassword(server(), token, name, password)
      return { token, name }
    }
    /** For tests that leave it as it is. */
    let common: ReturnType<typeof protectedSite> | undefined
    const commonSite = () => {
      common ??= protectedSite()
      return common
    }
    const enter = async (label: string) => {
      const answer = await unlock(server(), label, { password }, newAddress())
      expect(answer.status).toBe(303)
      return { cookie: cookieOf(answer) }
    }
    const expectLocked = (answer: HttpAnswer) => {
      expect(answer.status).toBe(401)
      expect(answer.text).not.toContain('secret')
      expect(answer.headers).toMatchObject({
        'cache-control': 'private, no-store',
        vary: expect.stringContaining('Cookie'),
        'x-robots-tag': 'noindex',
      })
      expect(answer.headers).not.toHaveProperty('x-svc-deployment')
      expect(answer.headers).not.toHaveProperty('etag')
    }

    describe('before a password is entered', () => {
      it('every path of every host is locked, whether it exists or not', async () => {
        const { token, name } = await protectedSite()
        const branch = await server().upload(token, name, archiveOf(files), '?branch=beta')
        const permanent = branch.json.deployment_id.replace('_', '-')
        const paths = [
          '/',
          '/docs',
          '/docs/',
          '/nowhere',
          '/assets/app.3f9a1b2c.js',
          '/_svc/unlock',
          '/_svc/x',
        ]
        for (const host of [name, `beta--${name}`, `${permanent}--${name}`, `nothing--${name}`])
          for (const path of [...paths, '/%zz', '/../x', '/_svc/access?code=x&to=/'])
            expectLocked(await server().site(host, path))
      })

      it.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is locked', async method => {
        const { name } = await commonSite()
        expectLocked(await server().site(name, '/', { method }))
        expectLocked(await server().site(name, '/nowhere', { method }))
      })

      it('a project without a deployment does not say so', async () => {
        const { token } = await server().account()
        const name = `empty-${Date.now().toString(36)}-${++lastAddress}`
        await server().client(token)('POST /projects', { body: { name } })
        await setPassword(server(), token, name, password)
        expectLocked(await server().site(name))
      })

      it('conditions and ranges are answered with the page and nothing else', async () => {
        const { token } = await server().account()
        const name = await deploySite(server(), token, files)
        const { etag = '' } = (await server().site(name)).headers
        await setPassword(server(), token, name, password)
        for (const [header, value] of [
          ['if-none-match', String(etag)],
          ['if-match', '"other"'],
          ['if-modified-since', new Date().toUTCString()],
          ['range', 'bytes=0-3'],
        ] as const)
          expectLocked(await server().site(name, '/', { headers: { [header]: value } }))
      })

      it('there is a form that needs no script, or short JSON for a program', async () => {
        const { name } = await commonSite()
        const page = await server().site(name, '/docs/?a=%22<b>&c', { headers: { accept: 'text/html' } })
        expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
        expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*form-action 'self'/)
        expect(page.text).toContain('<form method="post" action="/_svc/unlock">')
        expect(page.text).toContain('name="to" value="/docs/?a=%22%3Cb%3E&#38;c"')
        expect(page.text).not.toMatch(/<script|https?:/)
        const json = await server().site(name, '/', { headers: { accept: 'application/json' } })
        const error = { code: 'unauthorized', message: 'This site asks for a password.' }
        expect(json.json).toMatchObject({ error })
      })
    })

    describe('the right password', () => {
      it('lets in for a while, on the host where it was entered, and brings back to the page', async () => {
        const { name } = await protectedSite()
        const answer = await unlock(server(), name, { password, to: '/docs/?a=b' }, newAddress())
        expect([answer.status, answer.headers.location]).toEqual([303, '/docs/?a=b'])
        expect(answer.headers['set-cookie']).toEqual([
          expect.stringMatching(/^svc-visit=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
        ])
        const headers = { cookie: `a=b; ${cookieOf(answer)}; c` }
        const page = await server().site(name, '/', { headers })
        expect([page.status, page.text]).toEqual([200, 'the secret page'])
        expect(page.headers).toMatchObject({
          'cache-control': 'private, no-store',
          vary: 'Cookie',
          'x-own': 'yes',
        })
        expect(page.headers).not.toHaveProperty('cdn-cache-control')
        expectLocked(await server().site(`beta--${name}`, '/', { headers }))
        server().clock.advance(31 * 24 * 3600_000)
        expectLocked(await server().site(name, '/', { headers }))
      })

      it('shows the site as it is, and no cache may keep any of it', async () => {
        const { name } = await commonSite()
        const headers = await enter(name)
        const at = (path: string, options = {}) => server().site(name, path, { headers, ...options })
        const { etag } = (await at('/')).headers
        for (const [answer, status] of [
          [await at('/assets/app.3f9a1b2c.js'), 200],
          [await at('/docs'), 308],
          [await at('/nowhere'), 404],
          [await at('/%zz'), 400],
          [await at('/', { method: 'HEAD' }), 200],
          [await at('/', { method: 'POST' }), 405],
          [await at('/', { headers: { ...headers, 'if-none-match': etag } }), 304],
          [await at('/', { headers: { ...headers, range: 'bytes=0-2' } }), 206],
        ] as const) {
          expect(answer.status).toBe(status)
          expect(answer.headers['cache-control']).toBe('private, no-store')
          expect(answer.headers.vary).toContain('Cookie')
        }
        expect((await at('/nowhere')).text).toBe('the secret 404')
        expect((await at('/_svc/unlock')).headers.location).toBe('/')
      })

      it('is told to a program as JSON', async () => {
        const { name } = await commonSite()
        const accept = { accept: 'application/json', ...newAddress() }
        const right = await unlock(server(), name, { password }, accept)
        expect([right.status, right.json]).toEqual([200, { ok: true }])
        const page = await server().site(name, '/', { headers: { cookie: cookieOf(right) } })
        expect(page.text).toBe('the secret page')
        const wrong = await unlock(server(), name, { password: 'wrong' }, accept)
        expect([wrong.status, wrong.json.error.code]).toEqual([401, 'unauthorized'])
      })

      it.each(['https://evil.test/', '//evil.test', '/\\evil.test', '/.//evil.test', '/_svc/unlock'])(
        'never leads to %s',
        async to => {
          const { name } = await commonSite()
          const answer = await unlock(server(), name, { password, to }, newAddress())
          expect([answer.status, answer.headers.location]).toEqual([303, '/'])
        },
      )

      it('is not needed any more on a site that became public meanwhile', async () => {
        const { token, name } = await protectedSite()
        await server().request(`/projects/${name}/password`, { method: 'DELETE', token })
        const answer = await unlock(server(), name, { password }, newAddress())
        expect([answer.status, answer.headers.location]).toEqual([303, '/'])
        expect((await server().site(name)).headers['cache-control']).toBe('public, max-age=600')
      })
    })

    describe('a cookie', () => {
      it('is void at once when the password changes or goes', async () => {
        const { token, name } = await protectedSite()
        const first = await enter(name)
        await setPassword(server(), token, name, password)
        expectLocked(await server().site(name, '/', { headers: first }))
        const second = await enter(name)
        await server().request(`/projects/${name}/password`, { method: 'DELETE', token })
        expect((await server().site(name)).text).toBe('the secret page')
        await setPassword(server(), token, name, password)
        for (const headers of [first, second]) expectLocked(await server().site(name, '/', { headers }))
      })

      it('opens no other site', async () => {
        const [one, two] = [await protectedSite(), await protectedSite()]
        const headers = await enter(one.name)
        expectLocked(await server().site(two.name, '/', { headers }))
      })

      it('cannot be made or changed by anyone', async () => {
        const { name } = await commonSite()
        const { cookie } = await enter(name)
        const [key, value = ''] = cookie.split('=')
        const [generation = '', end = '', , signature = ''] = value.split('.')
        const forged = [
          `${generation}.${Number(end) + 1}..${signature}`,
          `${Number(generation) + 1}.${end}..${signature}`,
          `${generation}.${end}.acc_0000000000000000.${signature}`,
          `${generation}.${end}..${'A'.repeat(43)}`,
          `${generation}.${end}..${signature.slice(0, -1)}`,
          `${generation}.${end}..${signature}A`,
          `0${generation}.${end}..${signature}`,
          `${generation}.${end}..`,
          '',
          '...',
          `"${value}"`,
        ]
        for (const attempt of forged)
          expectLocked(await server().site(name, '/', { headers: { cookie: `${key}=${attempt}` } }))
        for (const other of [`x${cookie}`, cookie.toUpperCase(), `__Host-${cookie}`])
          expectLocked(await server().site(name, '/', { headers: { cookie: other } }))
      })

      it('works beside others of its name that a neighbour put there', async () => {
        const { name } = await commonSite()
        const { cookie } = await enter(name)
        const headers = { cookie: `svc-visit=garbage; svc-visit=1.9999999999..${'A'.repeat(43)}; ${cookie}` }
        expect((await server().site(name, '/', { headers })).text).toBe('the secret page')
      })
    })

    describe('tries', () => {
      it('are ten in ten minutes from one address, right and wrong ones, for each site', async () => {
        const { name } = await protectedSite()
        const other = await protectedSite()
        const from = newAddress()
        for (let left = 9; left >= 0; left--) {
          const answer = await unlock(server(), name, { password: 'wrong' }, from)
          expect(answer.status).toBe(401)
          expect(answer.text).toContain('That is not the password.')
          expect(answer.headers).toMatchObject({
            'x-ratelimit-limit': '10',
            'x-ratelimit-remaining': String(left),
          })
        }
        for (let again = 0; again < 2; again++) {
          const answer = await unlock(server(), name, { password }, { ...from, accept: 'application/json' })
          expect([answer.status, answer.json.error.code]).toEqual([429, 'rate_limit_exceeded'])
          expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
          expect(answer.headers['x-ratelimit-remaining']).toBe('0')
          expect(answer.headers).not.toHaveProperty('set-cookie')
        }
        expect((await unlock(server(), name, { password }, newAddress())).status).toBe(303)
        expect((await unlock(server(), other.name, { password }, from)).status).toBe(303)
        server().clock.advance(601_000)
        expect((await unlock(server(), name, { password }, from)).status).toBe(303)
      })

      it('from one IPv6 network are counted together', async () => {
        const { name } = await protectedSite()
        const from = (host: number) => ({ 'x-forwarded-for': `2001:db8:1:${lastAddress}::${host}` })
        for (let n = 1; n <= 10; n++)
          expect((await unlock(server(), name, { password: 'wrong' }, from(n))).status).toBe(401)
        expect((await unlock(server(), name, { password }, from(11))).status).toBe(429)
      })

      it('that come all at once are not all checked, and the site goes on being served', async () => {
        const { name } = await commonSite()
        const headers = await enter(name)
        const tries = Array.from({ length: 40 }, () =>
          unlock(server(), name, { password: 'wrong' }, { ...newAddress(), accept: 'application/json' }),
        )
        const page = await server().site(name, '/', { headers })
        expect(page.text).toBe('the secret page')
        const answers = await Promise.all(tries)
        expect(answers.map(({ status }) => status)).toContain(401)
        for (const { status, json, headers } of answers)
          if (status !== 401)
            expect([status, json.error.code, headers['retry-after']]).toEqual([503, 'unavailable', '5'])
      })

      it.each([
        [
          'too large',
          413,
          { 'content-type': 'application/x-www-form-urlencoded' },
          `password=${'x'.repeat(5000)}`,
        ],
        ['of another type', 415, { 'content-type': 'application/json' }, '{"password":"correct horse"}'],
        ['without a type', 415, {}, `password=${password}`],
        ['without a password', 401, { 'content-type': 'application/x-www-form-urlencoded' }, 'to=/'],
        ['empty', 401, { 'content-type': 'application/x-www-form-urlencoded' }, ''],
      ])('that are %s are refused', async (_, status, headers, body) => {
        const { name } = await commonSite()
        const options = { method: 'POST', body, headers: { ...headers, ...newAddress() } }
        const answer = await server().site(name, '/_svc/unlock', options)
        expect(answer.status).toBe(status)
        expect(answer.headers).not.toHaveProperty('set-cookie')
      })

      it('by pages of other sites are refused and not counted', async () => {
        const { name } = await commonSite()
        const from = newAddress()
        for (const headers of [
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
          { origin: 'https://evil.test' },
        ] as Record<string, string>[])
          for (let n = 0; n < 5; n++)
            expect((await unlock(server(), name, { password }, { ...from, ...headers })).status).toBe(403)
        const own = { ...from, origin: `http://${name}.localhost:8080` }
        const answer = await unlock(server(), name, { password }, own)
        expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([303, '9'])
      })
    })

    it('the gate serves everyone or asks everyone while the mode is switched back and forth', async () => {
      const { token, name } = await protectedSite()
      let switching = true
      const visits = Array.from({ length: 4 }, async () => {
        while (switching) {
          const { status, text, headers } = await server().site(name)
          if (status === 200) expect(headers['cache-control']).toMatch(/^public/)
          else expect([status, text.includes('secret')]).toEqual([401, false])
        }
      })
      for (let n = 0; n < 5; n++) {
        await setPassword(server(), token, name, password)
        expectLocked(await server().site(name))
        await server().request(`/projects/${name}/password`, { method: 'DELETE', token })
        expect((await server().site(name)).status).toBe(200)
      }
      switching = false
      await Promise.all(visits)
    })
  },
  { SVCD_TRUST_PROXY: '127.0.0.1' },
)
