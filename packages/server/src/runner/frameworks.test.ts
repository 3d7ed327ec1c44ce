// What the runner does for apps of certain frameworks. The apps are small stand-ins that follow the framework's own code;
// scripts/frameworks.mjs tries the same with real builds.
import { describe, expect, it, onTestFinished } from 'vitest'
import { TestApp } from '../testing/apps.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'

/** Finds its origin and the visitor's address as @sveltejs/adapter-node does, and refuses forms as SvelteKit does. */
const adapterNode = `
const { PROTOCOL_HEADER, HOST_HEADER, ADDRESS_HEADER, XFF_DEPTH = '1', ORIGIN, PORT, HOST } = process.env
require('node:http').createServer(({ method, headers, socket }, res) => {
  const protocol = PROTOCOL_HEADER ? headers[PROTOCOL_HEADER] : 'https'
  const host = (HOST_HEADER && headers[HOST_HEADER]) || headers.host
  const origin = ORIGIN || protocol + '://' + host
  const addresses = ADDRESS_HEADER ? headers[ADDRESS_HEADER].split(',') : [socket.remoteAddress]
  if (method === 'POST' && headers.origin !== origin) res.statusCode = 403
  res.end(origin + ' for ' + addresses.at(-XFF_DEPTH).trim())
}).listen(PORT, HOST)
`
const svelteKit = { 'index.js': adapterNode, 'handler.js': '' }

const sendForm = (app: TestApp, origin: string, headers: Record<string, string> = {}) =>
  app.server.site(app.name, '/', { method: 'POST', body: 'word=hi', headers: { origin, ...headers } })

onEveryServer(server => {
  describe('a SvelteKit app', () => {
    it("accepts forms of its own pages, refuses those of other sites, and knows the visitor's address", async () => {
      const app = await TestApp.create(server())
      await app.deploy(svelteKit)
      const own = `http://${app.name}.localhost`
      const forged = {
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
      }
      expect(await sendForm(app, own, forged)).toMatchObject({ status: 200, text: `${own} for 127.0.0.1` })
      expect((await sendForm(app, 'http://evil.test', forged)).status).toBe(403)
    })

    it('gets the variables of its project instead of the defaults', async () => {
      const app = await TestApp.create(server())
      await app.put('ORIGIN', 'https://shop.test')
      await app.put('ADDRESS_HEADER', 'user-agent')
      await app.deploy(svelteKit)
      const answer = await sendForm(app, 'https://shop.test', { 'user-agent': 'me' })
      expect(answer).toMatchObject({ status: 200, text: 'https://shop.test for me' })
    })
  })

  describe('the error of an app that needs a package which was not deployed', () => {
    const start = `import 'left-pad'\n`

    it.each([
      ['Procfile', { Procfile: 'web: node app.mjs\n', 'app.mjs': start }, /--node-modules/],
      ['Next.js', { 'server.js': `require('left-pad')\n`, '.next/BUILD_ID': 'x' }, /output: 'standalone'/],
      ['Nitro', { 'nitro.json': '{}', 'server/index.mjs': start }, /svc deploy \.output --node-modules/],
      ['SvelteKit', { 'index.js': `require('left-pad')\n`, 'handler.js': '' }, /--save-dev/],
      ['Astro', { 'server/entry.mjs': start }, /noExternal: true/],
    ])('ends with what to do with %s', async (_, files, remedy) => {
      const app = await TestApp.create(server())
      const { status, json } = await app.upload(files as Record<string, string>)
      expect([status, json.error.code]).toEqual([422, 'deployment_failed'])
      const last = json.error.message.split('\n').at(-1)
      expect(last).toMatch(/^The package 'left-pad' is not part of the deployment\. .*'svc deploy --build'/)
      expect(last).toMatch(remedy)
      expect((await app.detail()).deployments[0]?.error).toBe(json.error.message)
    })

    it("does not mention packages if one of the app's own files is missing", async () => {
      const app = await TestApp.create(server())
      const { json } = await app.upload({ Procfile: 'web: node gone.js\n' })
      expect(json.error.message).toContain('MODULE_NOT_FOUND')
      expect(json.error.message).not.toMatch(/--node-modules|--build/)
    })
  })
})

it('a SvelteKit app behind HTTPS accepts forms of its own pages', async () => {
  const server = await TestServer.start('sqlite', { SVCD_TRUST_PROXY: '127.0.0.1' })
  onTestFinished(() => server.remove())
  const app = await TestApp.create(server)
  await app.deploy(svelteKit)
  const own = `https://${app.name}.localhost`
  expect(await sendForm(app, own, { 'x-forwarded-proto': 'https' })).toMatchObject({ status: 200 })
  expect((await sendForm(app, own.replace('https', 'http'), { 'x-forwarded-proto': 'https' })).status).toBe(
    403,
  )
})
