// Pictures with a program in place of Chromium, which does what a hostile page could make a browser do.
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { watchDiskUse } from '../../builder/disk-use.ts'
import { eventually } from '../../testing/eventually.ts'
import { watchMemory } from '../app-runtime/process/memory-watch.ts'
import { end, treeOf } from '../app-runtime/process/process-tree.ts'
import { chromiumPictures } from './chromium.ts'
import { openSiteProxy } from './site-proxy.ts'

const limits = { timeMs: 60_000, memoryBytes: 1024 ** 3, pictureBytes: 1000, diskBytes: 1024 ** 3 }
const asked: { host: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = []
let dir: string
let socketPath: string
/** The edge: it answers every path with its name, and /large with 40 MB. */
const edge = createServer((req, res) => {
  asked.push({ host: req.headers.host, url: req.url, headers: req.headers })
  res.setHeader('set-cookie', 'a=b').end(req.url === '/large' ? Buffer.alloc(40 * 1024 * 1024) : req.url)
})

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-picture-test-'))
  socketPath = path.join(dir, 'edge.sock')
  edge.listen(socketPath)
  await once(edge, 'listening')
})
afterAll(async () => {
  edge.close()
  edge.closeAllConnections()
  await rm(dir, { recursive: true, force: true })
})

let programs = 0
/** Takes a picture with a program. `get(path)` in it loads a path of the site, `file` is where the picture belongs. */
async function take(script: string, more: Partial<typeof limits> = {}, url = 'http://shop.localhost/') {
  const program = path.join(dir, `browser-${++programs}.cjs`)
  const begin = `#!${process.execPath}
    const valueOf = name => process.argv.find(arg => arg.startsWith('--' + name + '=')).split('=')[1]
    const [file, proxy] = [valueOf('screenshot'), new URL(valueOf('proxy-server'))]
    const get = path => new Promise(done => require('node:http').get({
      host: proxy.hostname, port: proxy.port, path: process.argv.at(-1).replace(/\\/$/, '') + path,
    }, res => res.resume().on('end', done)))
    const fs = require('node:fs')
  `
  await writeFile(program, begin + script, { mode: 0o755 })
  const pictures = chromiumPictures({
    program,
    unsandboxed: true,
    urlOf: () => url,
    edge: { socketPath },
    processes: { userOf: () => process.getuid?.() ?? 0, treeOf, end, watchMemory, watchDiskUse },
    limits: { ...limits, ...more },
  })
  return await pictures({ projectId: 'prj_a', project: 'shop' }, new AbortController().signal)
}

const write = (bytes: number) => `get('/').then(() => fs.writeFileSync(file, Buffer.alloc(${bytes}, 7)))`

it('a picture is what the browser wrote, also of a site that visitors reach by https', async () => {
  expect(await take(write(10))).toEqual(Buffer.alloc(10, 7))
  expect(await take(write(20), {}, 'https://www.example.com/')).toEqual(Buffer.alloc(20, 7))
  expect(asked.at(-1)).toMatchObject({ host: 'www.example.com', url: '/' })
})

it('a picture that is too large, or that the browser did not write, is refused', async () => {
  await expect(take(write(1001))).rejects.toThrow('too large')
  await expect(take(`get('/')`)).rejects.toThrow('wrote no picture')
  await expect(take(`fs.writeFileSync(file, 'x')`)).rejects.toThrow('status none')
  await expect(take(`console.error('out of luck'); process.exitCode = 3`)).rejects.toThrow(
    'ended with code 3: out of luck',
  )
})

const gone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/** Starts a process of its own, notes both, and never ends. */
const stubborn = (note: string) => `
  process.on('SIGTERM', () => {})
  const child = require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  fs.writeFileSync('${note}', process.pid + ' ' + child.pid)
  setInterval(() => {}, 1000)`

it.each([
  ['takes too long', { timeMs: 5_000 }, 'it took longer than 5 seconds'],
  ['uses too much memory', { memoryBytes: 1024 }, 'the browser used more than 1 KB of memory'],
])('a browser that %s is ended with all its processes', async (_, more, words) => {
  const note = path.join(dir, `pids-${programs}`)
  await expect(take(stubborn(note), more)).rejects.toThrow(words)
  const pids = (await readFile(note, 'utf8').catch(() => '')).split(' ').filter(Boolean).map(Number)
  await eventually(() => pids.every(gone))
})

async function proxyTo(url: string) {
  const proxy = await openSiteProxy(new URL(url), { edge: { socketPath } })
  onTestFinished(() => proxy.close())
  const ask = (target: string, method = 'GET', headers = {}) =>
    new Promise<number>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: proxy.port, path: target, method, headers }
      const sent = request(options, res => {
        res.resume().on('close', () => resolve(res.complete ? (res.statusCode ?? 0) : 0))
        res.on('error', () => undefined)
      })
      sent.on('error', reject).end()
    })
  return { ask, proxy }
}

it('the browser reaches its own site alone, only reads, and shows no cookies', async () => {
  const { ask, proxy } = await proxyTo('https://www.example.com/')
  const secrets = { cookie: 'a=1', authorization: 'Basic x' }
  expect(await ask('http://www.example.com/', 'GET', secrets)).toBe(200)
  expect(asked.at(-1)?.headers).not.toHaveProperty('cookie')
  expect(asked.at(-1)?.headers).not.toHaveProperty('authorization')
  expect(proxy.pageStatus).toBe(200)
  const before = asked.length
  for (const target of ['http://other.example/', 'http://127.0.0.1/', '/', 'https://www.example.com/'])
    expect([target, await ask(target)]).toEqual([target, 403])
  expect(await ask('http://www.example.com/', 'POST')).toBe(403)
  expect(asked.length).toBe(before)
})

it('the browser loads at most 32 MB and 300 files', async () => {
  const large = await proxyTo('http://shop.localhost/')
  expect(await large.ask('http://shop.localhost/large')).toBe(0)
  expect(await large.ask('http://shop.localhost/')).toBe(403)
  const many = await proxyTo('http://shop.localhost/')
  const answers: number[] = []
  for (let i = 0; i < 301; i++) answers.push(await many.ask(`http://shop.localhost/${i}`))
  expect([answers.filter(status => status === 200).length, answers.at(-1)]).toEqual([300, 403])
})
