// Pictures of live sites, made by the Chromium of the system.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inflateSync } from 'node:zlib'
import { createClient } from '@svc/contract/client'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Machine, type Svcd } from './svcd.ts'

let machine: Machine
let svcd: Svcd
let token: string
beforeAll(async () => {
  machine = await Machine.make({ SVCD_CHROMIUM: findBrowser() })
  svcd = await machine.start()
  token = await machine.token('ada')
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

const apiUrl = () => `http://127.0.0.1:${svcd.port}`
const call = () => createClient({ baseUrl: apiUrl(), token })
const versionOf = async (name: string) => (await call()('GET /projects/:name', { params: { name } })).picture
const get = (name: string, bearer = token) =>
  fetch(`${apiUrl()}/projects/${name}/picture`, { headers: { authorization: `Bearer ${bearer}` } })

async function deploy(name: string, files: Record<string, string>): Promise<string> {
  const response = await fetch(`${apiUrl()}/projects/${name}/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(archiveOf(files)),
  })
  expect(response.status).toBe(201)
  return (await response.json()).deployment_id
}

/** The size of a PNG and the color of its first pixel, which no filter changes. */
function readPng(png: Buffer) {
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const color = [...inflateSync(Buffer.concat(data)).subarray(1, 4)]
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), color }
}

async function pictureAfter(name: string, before: string | null) {
  const version = await eventually(
    () => versionOf(name),
    seen => seen !== null && seen !== before,
  )
  const response = await get(name)
  expect(response.headers.get('content-type')).toBe('image/png')
  return { version, ...readPng(Buffer.from(await response.arrayBuffer())) }
}

/** Scripts draw the page, as in many apps. */
const page = (color: string, script = '') => ({
  'index.html': `<!doctype html><body></body><script src="/app.js"></script>`,
  'app.js': `setTimeout(() => { document.body.style.background = '${color}' }, 500);${script}`,
})

test('a site has a picture of its live deployment, and another one after the next deploy', async () => {
  await call()('POST /projects', { body: { name: 'shop' } })
  const first = await deploy('shop', page('#ff0000'))
  const red = await pictureAfter('shop', null)
  expect(red).toMatchObject({ width: 640, height: 400, color: [255, 0, 0] })
  const listed = (await call()('GET /projects', {})).projects.find(({ name }) => name === 'shop')
  expect(listed?.live?.picture).toBe(red.version)
  const etag = { 'if-none-match': `"${red.version}"`, authorization: `Bearer ${token}` }
  expect((await fetch(`${apiUrl()}/projects/shop/picture`, { headers: etag })).status).toBe(304)

  await deploy('shop', page('#0000ff'))
  expect((await pictureAfter('shop', red.version)).color).toEqual([0, 0, 255])
  await call()('POST /projects/:name/deployments/:id/activate', { params: { name: 'shop', id: first } })
  await eventually(async () => (await versionOf('shop')) === red.version)
  expect((await get('shop', await machine.token('eve'))).status).toBe(404)
}, 300_000)

test('a picture is no visit, and counts as no traffic of the site', async () => {
  await call()('POST /projects', { body: { name: 'quiet' } })
  await deploy('quiet', page('#00ff00'))
  await pictureAfter('quiet', null)
  const visit = request({
    port: svcd.port,
    host: '127.0.0.1',
    path: '/seen',
    headers: { host: 'quiet.localhost' },
  })
  const [answer] = await once(visit.end(), 'response')
  answer.resume()
  const paths = async () =>
    (await call()('GET /projects/:name/requests', { params: { name: 'quiet' } })).requests.map(
      ({ path }) => path,
    )
  await eventually(async () => (await paths()).includes('/seen'))
  expect(await paths()).toEqual(['/seen'])
}, 300_000)

test('the page of a picture reaches its own site alone, and only reads', async () => {
  const reached: string[] = []
  const secret = createServer((req, res) => {
    reached.push(req.url ?? '')
    res.setHeader('access-control-allow-origin', '*').end('secret')
  }).listen(0, '127.0.0.1')
  await once(secret, 'listening')
  onTestFinished(() => {
    secret.close()
  })
  const { port } = secret.address() as AddressInfo
  const stun = createSocket('udp4', () => reached.push('UDP')).bind(0, '127.0.0.1')
  await once(stun, 'listening')
  onTestFinished(() => {
    stun.close()
  })
  const addresses = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, apiUrl()]
  // Green only if nothing could be read, and nothing written.
  const script = `
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] })
    peer.createDataChannel('data')
    peer.createOffer().then(offer => peer.setLocalDescription(offer))
    const asked = new Promise(done => setTimeout(done, 3000))
    const tries = [...${JSON.stringify(addresses)}.map(url => fetch(url + '/reached')), new Promise((yes, no) => {
      const image = new Image(); image.onload = yes; image.onerror = no; image.src = '${addresses[0]}/image'
    }), fetch('/', { method: 'POST' }).then(answer => { if (!answer.ok) throw 0 })]
    Promise.allSettled(tries).then(async all => {
      await asked
      document.body.style.background = all.every(one => one.status === 'rejected') ? '#00ff00' : '#ff00ff'
    })`
  await call()('POST /projects', { body: { name: 'nosy' } })
  await deploy('nosy', { ...page('#000000'), 'app.js': script })
  expect((await pictureAfter('nosy', null)).color).toEqual([0, 255, 0])
  expect(reached).toEqual([])
}, 300_000)

test('a protected site and a site without a page have no picture', async () => {
  const { 'index.html': _, ...withoutPage } = page('#000000')
  const password = 'a long enough password'
  for (const name of ['hidden', 'empty', 'plain']) await call()('POST /projects', { body: { name } })
  await call()('PUT /projects/:name/access', {
    params: { name: 'hidden' },
    body: { mode: 'password', password },
  })
  await deploy('plain', page('#ffffff'))
  await deploy('empty', withoutPage)
  await deploy('hidden', page('#ffffff'))
  // Pictures are made one at a time, so the others had their turn, unless they came first.
  await pictureAfter('plain', null)
  await deploy('plain', page('#eeeeee'))
  await eventually(async () => svcd.stderr.some(line => line.includes('status 404')))
  expect([await versionOf('hidden'), await versionOf('empty')]).toEqual([null, null])
  expect((await get('hidden')).status).toBe(404)
}, 300_000)

test('svcd doctor makes a picture', async () => {
  expect(await machine.run('doctor')).toMatch(/^ok {4}pictures: .*makes pictures$/m)
}, 120_000)
