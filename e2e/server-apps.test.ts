// Server apps with the real svc and svcd: deployed, visited, woken, and gone when the platform is.
import { symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

const app = `
const http = require('node:http')
console.log('up')
http.createServer((req, res) => {
  if (req.url === '/port') return res.end(process.env.PORT)
  res.end('version ' + require('./version.json') + ' of ' + process.env.SVC_PROJECT)
}).listen(process.env.PORT, process.env.HOSTNAME)
`
const procfile = { 'shop/Procfile': 'web: node app.cjs\n', 'shop/app.cjs': app, 'shop/version.json': '1' }
const packageJson = {
  'shop-2/package.json': '{ "svc": { "start": "node app.cjs" } }',
  'shop-2/app.cjs': app,
  'shop-2/version.json': '2',
}

let machine: Machine
let svcd: Svcd
let shell: Shell

beforeAll(async () => {
  machine = await Machine.make()
  svcd = await machine.start()
  const token = await machine.token('ada')
  shell = new Shell({ SVC_API_URL: svcd.url, SVC_TOKEN: token })
  shell.write(procfile)
  expect(await shell.svc('init', 'shop')).toMatchObject({ code: 0 })
})

afterAll(async () => {
  await svcd?.stop()
  shell?.remove()
  await machine?.remove()
})

const addressOf = (output: string): string => /http:\/\/\S+/.exec(output)?.[0] ?? ''

async function text(address: string, path = '/'): Promise<string> {
  const { status, body } = await visit(address, path)
  return `${status} ${body}`
}

describe('a server app', () => {
  let address: string

  test('is live when svc deploy ends', async () => {
    const deployed = await shell.svc('deploy', 'shop')
    expect(deployed).toMatchObject({ code: 0, stderr: '' })
    expect(deployed.stdout).toContain('server: Procfile\n')
    address = addressOf(deployed.stdout)
    expect(await text(address)).toBe('200 version 1 of shop')
  })

  test('is replaced while visitors come, and none of them sees an error', async () => {
    shell.write(packageJson)
    const seen = new Set<string>()
    let isOver = false
    const visitors = Promise.all(
      [1, 2, 3].map(async () => {
        while (!isOver) seen.add(await text(address))
      }),
    )
    const deployed = await shell.svc('deploy', 'shop-2')
    expect(deployed).toMatchObject({ code: 0, stdout: expect.stringContaining('server: package.json\n') })
    while (!seen.has('200 version 2 of shop')) await new Promise(resolve => setTimeout(resolve, 10))
    isOver = true
    await visitors
    expect([...seen].sort()).toEqual(['200 version 1 of shop', '200 version 2 of shop'])
  })

  test('that does not come up is not deployed, and the terminal says why', async () => {
    shell.write({ 'shop/app.cjs': 'console.error("no database here"); process.exit(1)' })
    const failed = await shell.svc('deploy', 'shop')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(
      /^svc: The app exited with code 1 .*no database here.*\(deployment_failed\)\n$/s,
    )
    expect(await text(address)).toBe('200 version 2 of shop')
  })

  test('keeps running where a variable keeps it from starting, and svc env set fails with its last lines', async () => {
    const picky = `if (process.env.COLOR === 'bad') throw new Error('no such color')\n${app}`
    shell.write({ 'shop-2/app.cjs': picky })
    expect(await shell.svc('deploy', 'shop-2')).toMatchObject({ code: 0 })
    const set = await shell.svc('env', 'set', 'COLOR=bad', 'SIZE=1')
    expect([set.code, set.stdout]).toEqual([1, 'Set COLOR.\nSet SIZE.\n'])
    expect(set.stderr).toMatch(/^svc: The new instance did not start\. .*no such color.*To undo/ms)
    expect(await text(address)).toBe('200 version 2 of shop')
    const undone = await shell.svc('env', 'rm', 'COLOR')
    expect(undone).toMatchObject({ code: 0, stderr: expect.stringMatching(/It is up\.\n$/) })
  })

  test('svc run runs a command in its place, and ends with its exit code', async () => {
    const command = 'console.log(process.env.SVC_PROJECT, process.argv[1]); process.exit(5)'
    const ran = await shell.svc('run', '--', 'node', '-e', command, 'a b')
    expect(ran).toEqual({ code: 5, stdout: 'shop a b\n', stderr: '' })
    expect(await shell.svc('run', 'cat version.json >&2')).toEqual({ code: 0, stdout: '', stderr: '2' })
  })

  test('finds its packages and programs through links, as pnpm and npm make them', async () => {
    shell.write({
      'linked/package.json': '{ "scripts": { "start": "serve app.cjs" }, "dependencies": { "tool": "1" } }',
      'linked/Procfile': 'web: npm start\n',
      'linked/app.cjs': app.replace("'version '", "require('tool')"),
      'linked/version.json': '3',
      'linked/node_modules/.pnpm/tool@1/node_modules/tool/index.js': "module.exports = 'linked version '",
      'linked/node_modules/.pnpm/tool@1/node_modules/tool/cli.cjs':
        '#!/usr/bin/env node\nrequire(process.cwd() + "/" + process.argv[2])',
      'linked/node_modules/.bin/other': '',
    })
    const modules = path.join(shell.home, 'linked/node_modules')
    symlinkSync('.pnpm/tool@1/node_modules/tool', path.join(modules, 'tool'))
    symlinkSync('../tool/cli.cjs', path.join(modules, '.bin/serve'))
    expect(await shell.svc('deploy', 'linked', '--node-modules')).toMatchObject({ code: 0, stderr: '' })
    expect(await text(address)).toBe('200 linked version 3 of shop')
    expect(await shell.svc('deploy', 'shop-2')).toMatchObject({ code: 0 })
  })

  test('ends with the platform, also when that is killed, and comes back with it', async () => {
    const port = Number((await visit(address, '/port')).body)
    const { port: before } = svcd
    await svcd.stop('SIGKILL')
    while (await accepts(port)) await new Promise(resolve => setTimeout(resolve, 10))
    machine.environment.SVCD_PORT = String(before)
    svcd = await machine.start()
    expect(await text(address)).toBe('200 version 2 of shop')
    const again = Number((await visit(address, '/port')).body)
    expect(await svcd.stop()).toBe(0)
    expect(await accepts(again)).toBe(false)
    svcd = await machine.start()
  })
})

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
