// Tests with several nodes on one database. Each node runs the apps that its own visitors request.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { S3Server } from '../testing/s3-server.ts'
import { TestServer } from '../testing/server.ts'

let s3: S3Server
let one: TestServer
let two: TestServer

beforeAll(async () => {
  s3 = await S3Server.start()
  const secret = { SVCD_SECRET_KEY: randomBytes(32).toString('base64') }
  const shared = { SVCD_STORAGE_URL: s3.storageUrl, ...secret }
  one = await TestServer.start('postgres', shared)
  const { SVCD_DATABASE_URL = '' } = one.environment
  two = await TestServer.start('sqlite', { ...shared, SVCD_DATABASE_URL })
})
afterAll(async () => {
  await two?.remove()
  await one?.remove()
  await s3?.stop()
})

const colored = `
require('node:http').createServer((req, res) => {
  if (req.url === '/crash') process.exit(1)
  res.end(process.env.COLOR || 'none')
}).listen(process.env.PORT, process.env.HOSTNAME)
`

it('an app runs on each node that gets a request for it, and a changed variable restarts it on all of them', async () => {
  const app = await TestApp.create(one)
  const id = await app.deploy(procfileApp('x', colored))
  const colors = async () => [(await one.site(app.name)).text, (await two.site(app.name)).text].join()
  await eventually(async () => (await colors()) === 'none,none')
  expect(new Set((await app.instances(id)).map(row => row.node_id)).size).toBe(2)
  await app.put('COLOR', 'blue')
  await eventually(async () => (await colors()) === 'blue,blue')
  // Each node restarts its own instances.
  await two.site(app.name, '/crash')
  await eventually(async () => (await colors()) === 'blue,blue')
  const ready = (await app.instances(id)).filter(row => row.state === 'ready')
  expect(new Set(ready.map(row => row.node_id)).size).toBe(2)
})

it('a page that a visitor changes through one node is requested again by all nodes', async () => {
  const app = await TestApp.create(one)
  const page = `
    require('node:http').createServer((req, res) => {
      res.setHeader('cache-control', 's-maxage=3600')
      res.end(String(Math.random()))
    }).listen(process.env.PORT, process.env.HOSTNAME)`
  await app.deploy(procfileApp('x', page))
  const text = async () => (await two.site(app.name)).text
  const before = await text()
  await eventually(async () => (await two.site(app.name)).headers['x-svc-cache'] === 'HIT')
  expect(await text()).toBe(before)
  expect((await one.site(app.name, '/', { method: 'POST' })).status).toBe(200)
  await eventually(async () => (await text()) !== before)
})
