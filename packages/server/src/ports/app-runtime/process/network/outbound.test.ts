// Outbound connections of sandboxed apps. Another network namespace plays the role of another machine.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../../lib/ids.ts'
import type { Outbound } from '../../private-networks.ts'
import { programAt } from '../../programs.ts'
import { ProcessRuntime } from '../runtime.ts'
import { findSandbox } from '../sandbox.ts'
import { NetworkNamespace } from './namespace.ts'
import { missingFor } from './outbound.ts'

/** Addresses for documentation (RFC 5737) and unused ones. This machine has the first of each pair, the other one the second. */
const publicPair = ['203.0.113.229', '203.0.113.230'] as const
const privatePair = ['10.213.77.229', '10.213.77.230'] as const

const missing = [
  ...(process.getuid?.() === 0 ? [] : ['root']),
  ...(programAt('ip') ? [] : ['iproute2']),
  ...((await findSandbox()) ? [] : ['bubblewrap']),
  ...missingFor('public'),
].join(', ')

if (missing !== '') {
  console.warn(`The tests of outbound connections are skipped: they need ${missing}`)
  describe.skip(`outbound connections (they need ${missing})`, () => test('all of it', () => undefined))
} else
  describe('outbound connections', () => {
    let machine: NetworkNamespace
    let port = 0

    beforeAll(async () => {
      machine = await NetworkNamespace.open()
      const name = `svct${randomText(6)}`
      run(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(machine.pid)])
      for (const [here, there] of [publicPair, privatePair]) {
        run(['ip', 'addr', 'add', `${here}/30`, 'dev', name])
        run(machine.around(['ip', 'addr', 'add', `${there}/30`, 'dev', 'eth0']))
      }
      run(['ip', 'link', 'set', name, 'up'])
      run(machine.around(['ip', 'link', 'set', 'eth0', 'up']))
      const serve = `const s = require('node:net').createServer(c => c.end()).listen(0, () => console.log(s.address().port))`
      const [program = '', ...args] = machine.around([process.execPath, '-e', serve])
      const server = spawn(program, args)
      machine.ended.then(() => server.kill())
      const [line] = await once(createInterface(server.stdout), 'line')
      port = Number(line)
    })

    // This also removes the pair of interfaces.
    afterAll(() => machine.close())

    /** Starts an app with the setting and returns whether it can connect to each address. */
    async function knocker(outbound: Outbound, webPorts: number[] = []) {
      const dir = mkdtempSync(path.join(tmpdir(), 'svc-outbound-'))
      const filesDir = path.join(dir, 'files')
      mkdirSync(filesDir)
      writeFileSync(path.join(filesDir, 'app.cjs'), knocking)
      const runtime = await ProcessRuntime.open(`node${randomText(12)}`, {
        outbound,
        webPorts: [80, ...webPorts],
      })
      onTestFinished(async () => {
        await runtime.close()
        rmSync(dir, { recursive: true })
      })
      expect((await runtime.check()).problems).toEqual([])
      const app = await runtime.start({
        ...{ instanceId: `ins_${randomText(16)}`, projectId: 'prj_a', project: 'a', deploymentId: 'dep_a' },
        ...{ filesDir, scratchDirs: [], command: ['node', 'app.cjs'], env: {}, readyWithinMs: 60_000 },
        limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 },
        output: () => true,
      })
      return async (host: string, to = port): Promise<string> => {
        const socket = await runtime.connect(app.address)
        return await new Promise((resolve, reject) => {
          const asking = request({ createConnection: () => socket, path: `/${host}/${to}` }, answer => {
            let text = ''
            answer.on('data', part => (text += part)).on('end', () => resolve(text))
          })
          asking.on('error', reject).end()
        })
      }
    }

    test('public: apps reach public addresses, but neither private ones nor this machine', async () => {
      const knock = await knocker('public')
      expect(await knock(publicPair[1])).toBe('open')
      expect(await knock(privatePair[1])).toBe('closed')
      expect(await knock(`::ffff:${privatePair[1]}`)).toBe('closed')
      const refused = [
        '127.0.0.1',
        '10.0.2.2',
        '169.254.169.254',
        '100.64.0.1',
        '0.0.0.0',
        '224.0.0.1',
        'fd00::1',
      ]
      for (const host of refused) expect([host, await knock(host, 80)]).toEqual([host, 'closed'])
    })

    test('public: apps reach this machine only on the ports that serve sites', async () => {
      const server = createServer(socket => socket.end())
      await new Promise<void>(resolve => server.listen(0, publicPair[0], resolve))
      onTestFinished(() => void server.close())
      const own = (server.address() as { port: number }).port
      expect(await (await knocker('public'))(publicPair[0], own)).toBe('closed')
      expect(await (await knocker('public', [own]))(publicPair[0], own)).toBe('open')
    })

    test('on: apps also reach private networks, but not the loopback address of this machine', async () => {
      const knock = await knocker('on')
      expect(await knock(publicPair[1])).toBe('open')
      expect(await knock(privatePair[1])).toBe('open')
      const server = createServer(socket => socket.end())
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const { port: own } = server.address() as { port: number }
      for (const host of ['127.0.0.1', '10.0.2.2']) expect(await knock(host, own)).toBe('closed')
    })

    test('off: apps reach no address', async () => {
      const knock = await knocker('off')
      for (const host of [publicPair[1], privatePair[1]]) expect(await knock(host)).toBe('closed')
    })
  })

const knocking = `
  const net = require('node:net')
  require('node:http').createServer((req, res) => {
    const [, host, port] = req.url.split('/')
    const socket = net.connect({ host, port, timeout: 5000 })
    const say = answer => { socket.destroy(); res.end(answer) }
    socket.on('connect', () => say('open')).on('error', () => say('closed')).on('timeout', () => say('late'))
  }).listen(process.env.PORT)`

function run([program = '', ...args]: string[]): void {
  execFileSync(program, args)
}
