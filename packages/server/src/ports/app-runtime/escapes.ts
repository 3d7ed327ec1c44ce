// Tests with a hostile app that tries to escape from its sandbox. Every runtime that isolates apps must pass them.
import { request } from 'node:http'
import { type AddressInfo, createServer, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AppRuntime, AppSpec, RunningApp } from './port.ts'

interface Bench {
  specOf(script: string, extra?: Partial<AppSpec>): AppSpec
  runtime(): AppRuntime
}

/** An app that runs the code in a request as an async function, and answers with the result or the error's code. */
const obedient = `
const http = require('node:http')
http.createServer(async (req, res) => {
  let body = ''
  for await (const part of req) body += part
  try {
    const work = new (Object.getPrototypeOf(async () => {}).constructor)('require', body)
    res.end(JSON.stringify((await work(require)) ?? null))
  } catch (error) {
    res.end(JSON.stringify(error.code ?? String(error)))
  }
}).listen(process.env.PORT, process.env.HOSTNAME)
`

/** Code that tells whether an address accepts connections. */
const knock = (host: string, port: number) => `
  const net = require('node:net')
  return await new Promise(resolve => {
    const socket = net.connect({ host: ${JSON.stringify(host)}, port: ${port}, timeout: 1500 })
    const say = answer => { socket.destroy(); resolve(answer) }
    socket.on('connect', () => say('open')).on('error', () => say('closed')).on('timeout', () => say('closed'))
  })`

/** Code that returns the exit code of a program of the system, or why it cannot be started. */
const run = (...argv: string[]) => `
  const { spawnSync } = require('node:child_process')
  const [program, ...args] = ${JSON.stringify(argv)}
  const { status, error } = spawnSync(program, args, { timeout: 20000 })
  return error ? error.code : status`

const filesystems = `
  const fs = require('node:fs')
  const tryTo = work => { try { work(); return 'done' } catch (error) { return error.code } }`

export function describeEscapes({ specOf, runtime }: Bench): void {
  describe('escapes', () => {
    async function hostile(extra: Partial<AppSpec> = {}): Promise<RunningApp> {
      const app = await runtime().start(specOf(obedient, extra))
      onTestFinished(async () => {
        await app.stop(0)
      })
      return app
    }

    async function tell(app: RunningApp, work: string): Promise<unknown> {
      const socket = await runtime().connect(app.address)
      return await new Promise((resolve, reject) => {
        const options = { createConnection: () => socket, method: 'POST' }
        const asking = request(options, answer => {
          let text = ''
          answer.setEncoding('utf8').on('data', part => (text += part))
          answer.on('error', reject).on('end', () => resolve(JSON.parse(text)))
        })
        asking.on('error', reject).end(work)
      })
    }

    /** A service of the machine, on all of its addresses. */
    async function service(): Promise<number> {
      const server = createServer(socket => socket.end())
      await new Promise<void>(resolve => server.listen(0, resolve))
      onTestFinished(() => void server.close())
      return (server.address() as AddressInfo).port
    }

    test('an app reaches no service on any address of the machine', async () => {
      const port = await service()
      const own = Object.values(networkInterfaces()).flatMap(all => all ?? [])
      const app = await hostile()
      for (const host of ['127.0.0.1', '::1', '10.0.2.2', ...own.map(({ address }) => address)])
        expect([host, await tell(app, knock(host, port))]).toEqual([host, 'closed'])
    })

    test('an app reaches no other app', async () => {
      const [one, two] = [await hostile(), await hostile()]
      const listen = `
        const server = require('node:net').createServer()
        await new Promise(resolve => server.listen(4000, resolve))
        return server.address().port`
      expect(await tell(two, listen)).toBe(4000)
      const hosts = ['127.0.0.1', '::1', ...(isIP(two.address.host) ? [two.address.host] : [])]
      for (const host of hosts) expect([host, await tell(one, knock(host, 4000))]).toEqual([host, 'closed'])
    })

    test('an app that listens on the port of another gets none of its visitors', async () => {
      const [one, two] = [await hostile(), await hostile()]
      const squat = `
        const net = require('node:net')
        const all = []
        for (let port = 20000; port < 20050; port++)
          all.push(new Promise(done => net.createServer().listen(port, done).on('error', done)))
        await Promise.all(all)`
      await tell(one, squat)
      expect(await tell(two, 'return process.env.SVC_INSTANCE_ID')).toBe(two.instanceId)
      const three = await hostile()
      expect(await tell(three, 'return process.env.SVC_INSTANCE_ID')).toBe(three.instanceId)
    })

    test('an app sees no connections of other programs', async () => {
      const port = await service()
      const app = await hostile()
      const tables = `
        const fs = require('node:fs')
        return ['tcp', 'tcp6', 'unix'].map(name => fs.readFileSync('/proc/net/' + name, 'utf8')).join('')`
      const seen = String(await tell(app, tables))
      expect(seen).not.toContain(`:${port.toString(16).toUpperCase().padStart(4, '0')} `)
      expect(seen).not.toContain('@/')
    })

    test('an app cannot make namespaces, mount, trace, or use risky interfaces of the kernel', async () => {
      const app = await hostile()
      for (const argv of [
        ['unshare', '--user', 'true'],
        ['unshare', '--net', 'true'],
        ['nsenter', '--net=/proc/1/ns/net', 'true'],
        ['mount', '-t', 'tmpfs', 'none', '/tmp'],
        ['chroot', '/tmp', 'true'],
        ['dmesg'],
      ])
        expect([...argv, await tell(app, run(...argv))]).not.toEqual([...argv, 0])
      const status = String(
        await tell(app, `return require('node:fs').readFileSync('/proc/self/status', 'utf8')`),
      )
      expect(status).toMatch(/^NoNewPrivs:\t1$/m)
      expect(status).toMatch(/^CapEff:\t0+$/m)
      expect(status).toMatch(/^CapBnd:\t0+$/m)
      expect(status).toMatch(/^Seccomp:\t2$/m)
    })

    test('an app can write only to directories of limited size, and not to / or /dev', async () => {
      const app = await hostile()
      const writes = `${filesystems}
        return ['/', '/dev', '/usr', '/etc', '/proc/sys/kernel', '/usr/local/etc']
          .map(dir => tryTo(() => fs.writeFileSync(dir + '/x', 'x')))`
      for (const outcome of (await tell(app, writes)) as string[])
        expect(outcome).toMatch(/^E(ROFS|ACCES|PERM|NOENT)$/)
      const sizes = `${filesystems}
        return ['/tmp', '/dev/shm'].map(dir => { const { blocks, bsize } = fs.statfsSync(dir); return blocks * bsize })`
      for (const size of (await tell(app, sizes)) as number[])
        expect(size).toBeLessThanOrEqual(256 * 1024 * 1024)
    })

    test('settings and sources that operators keep below /usr are hidden, as are the keys of the kernel', async () => {
      const app = await hostile()
      const list = `${filesystems}
        return ['/usr/local/etc', '/usr/src'].flatMap(dir => fs.existsSync(dir) ? fs.readdirSync(dir) : [])`
      expect(await tell(app, list)).toEqual([])
      const keys = `${filesystems}
        return ['/proc/keys', '/proc/kcore'].map(file => { try { return fs.readFileSync(file).length } catch (e) { return 0 } })`
      expect(await tell(app, keys)).toEqual([0, 0])
    })

    test('an app that breaks its own network or kills its first process harms only itself', async () => {
      const [one, two] = [await hostile(), await hostile()]
      await tell(one, `process.kill(1, 'SIGKILL'); process.kill(-1, 'SIGTERM')`).catch(() => undefined)
      expect(await tell(two, 'return 1')).toBe(1)
    })
  })
}
