import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { randomText } from '../../../lib/ids.ts'
import { nanoClock } from '../../../lib/nanoseconds.ts'
import { procfileApp, TestApp } from '../../../testing/apps.ts'
import { eventually } from '../../../testing/eventually.ts'
import { send } from '../../../testing/send.ts'
import { TestServer } from '../../../testing/server.ts'
import { DiskAppLogs } from '../../app-logs/disk.ts'
import { describeRuntime } from '../conformance.ts'
import { appPort } from '../port.ts'
import { programAt } from '../programs.ts'
import { projectUser } from '../project-user.ts'
import { describeContainer } from './container.ts'
import { Engine } from './engine.ts'
import { applyRules, networkRules, tableOf } from './firewall.ts'
import { nanosOf } from './frames.ts'
import { readOutput } from './output.ts'
import { DockerRuntime } from './runtime.ts'
import { appSpec, openTestEngine } from './testbed.ts'

const engine = await openTestEngine()
afterAll(() => engine.close())

test('a container has only the privileges that an app needs', () => {
  const settings = {
    nodeId: 'n',
    image: 'i',
    runtime: 'runsc',
    network: 'net',
    publish: false,
    isRootless: false,
    mapsUsers: false,
    logDriver: 'local',
  } as const
  const { User, Env, HostConfig, Entrypoint, Cmd } = describeContainer(
    appSpec('/files', { scratchDirs: ['.next/cache'], env: { SECRET: 'x', PORT: '1' } }),
    settings,
  )
  expect([Entrypoint, Cmd]).toEqual([['node'], ['app.cjs']])
  expect(User).toBe(`${projectUser('prj_a')}:${projectUser('prj_a')}`)
  expect(describeContainer(appSpec('/files'), { ...settings, mapsUsers: true }).User).toBe('10001:10001')
  expect(Env).toContain(`PORT=${appPort}`)
  expect(HostConfig).toMatchObject({
    Runtime: 'runsc',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    Privileged: false,
    SecurityOpt: ['no-new-privileges'],
    Memory: 256 * 1024 * 1024,
    MemorySwap: 256 * 1024 * 1024,
    NanoCpus: 500_000_000,
    PidsLimit: 64,
    NetworkMode: 'net',
    Mounts: [{ Type: 'bind', Source: '/files', Target: '/app', ReadOnly: true }],
    PortBindings: {},
  })
  expect(Object.keys(HostConfig.Tmpfs)).toEqual(['/tmp', '/app/.next/cache'])
})

/** Makes a folder with an app, which is removed after the test. */
function filesOf(app: string): string {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-docker-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const dir = path.join(root, 'files')
  mkdirSync(dir)
  writeFileSync(path.join(dir, 'app.cjs'), app)
  return dir
}

const listening = 'require("node:http").createServer().listen(process.env.PORT)'

/** The number of lines in the engine's log. */
async function linesOf(socket: Engine, id: string): Promise<number> {
  let lines = 0
  for await (const frames of readOutput(socket, `/containers/${id}`, { after: '', follow: false }))
    lines += frames.length
  return lines
}

if ('missing' in engine) {
  console.warn(`The tests of apps as containers are skipped: ${engine.missing}`)
  describe.skip(`apps as containers (${engine.missing})`, () => test('all of it', () => undefined))
} else {
  const { host, image } = engine
  const network = `svc-t${randomText(8)}`
  const open = (nodeId: string) =>
    new DockerRuntime({
      host,
      nodeId,
      image,
      network,
      runtime: undefined,
      outbound: 'public',
      webPorts: [80],
    })

  describeRuntime('apps as containers', { open: async nodeId => open(nodeId), isolates: true, limits: true })

  const { Runtimes = {} } = await new Engine(host).call<{ Runtimes?: Record<string, unknown> }>(
    'GET',
    '/info',
  )
  if ('runsc' in Runtimes)
    describeRuntime('apps as containers by gVisor', {
      open: async nodeId =>
        new DockerRuntime({
          host,
          nodeId,
          image,
          network,
          runtime: 'runsc',
          outbound: 'public',
          webPorts: [80],
        }),
      isolates: true,
      limits: true,
    })
  else {
    const missing = 'the engine has no runtime runsc'
    console.warn(`The tests of apps as containers by gVisor are skipped: ${missing}`)
    describe.skip(`apps as containers by gVisor (${missing})`, () => test('all of it', () => undefined))
  }

  describe('the network of containers', () => {
    /** An app that tells whether the address in a request accepts connections. */
    const probing = `
      const net = require('node:net')
      require('node:http').createServer((req, res) => {
        const [host, port] = req.url.slice(1).split('_')
        const socket = net.connect({ host, port, timeout: 1500 })
        const say = answer => { socket.destroy(); res.end(answer) }
        socket.on('connect', () => say('open')).on('error', e => say('closed')).on('timeout', () => say('closed'))
      }).listen(process.env.PORT)`

    test('lets apps reach neither each other nor the loopback address of the machine', async () => {
      const dir = filesOf(probing)
      const runtime = open(`node${randomText(12)}`)
      onTestFinished(() => runtime.close())
      const [one, two] = await Promise.all([runtime.start(appSpec(dir)), runtime.start(appSpec(dir))])
      const platform = createServer(socket => socket.end())
      await new Promise<void>(resolve => platform.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void platform.close())
      const { port } = platform.address() as AddressInfo
      const ask = async (to: string) =>
        await (await fetch(`http://${one.address.host}:${one.address.port}/${to}`)).text()
      expect(await ask(`127.0.0.1_${appPort}`)).toBe('open')
      expect(await ask(`${two.address.host}_${two.address.port}`)).toBe('closed')
      expect(await ask(`127.0.0.1_${port}`)).toBe('closed')
    })
  })

  test('lines that an app wrote after svcd was killed are stored by the next svcd, each once', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'svc-docker-'))
    const dir = path.join(root, 'files')
    mkdirSync(dir)
    const counting = `
      let n = 0; const timer = setInterval(() => { console.log('line ' + ++n); if (n === 200) clearInterval(timer) }, 2)
      setInterval(() => {}, 1000)`
    writeFileSync(path.join(dir, 'app.cjs'), counting)
    const logs = new DiskAppLogs({
      dir: path.join(root, 'logs'),
      bytesAtMost: 8 * 1024 * 1024,
      now: nanoClock(systemClock),
      onError: error => {
        throw error
      },
    })
    const nodeId = `node${randomText(12)}`
    const next = open(nodeId)
    await next.check()
    onTestFinished(() => rmSync(root, { recursive: true }))
    const source = { projectId: 'prj_a', deploymentId: 'dep_a', instanceId: `ins_${randomText(16)}` }

    // A killed svcd leaves a running container behind, and the lines that it had stored by then.
    const socket = new Engine(host)
    const settings = {
      nodeId,
      image,
      runtime: undefined,
      network,
      publish: false,
      isRootless: false,
      mapsUsers: false,
      logDriver: 'local',
    } as const
    const body = describeContainer(appSpec(dir, source), settings)
    const start = async (attempts: number): Promise<string> => {
      const { Id } = await socket.call<{ Id: string }>('POST', '/containers/create', body)
      try {
        await socket.call('POST', `/containers/${Id}/start`)
        return Id
      } catch (error) {
        // Under load the engine cannot start some containers (see host.ts).
        await socket.call('DELETE', `/containers/${Id}`)
        if (attempts === 1) throw error
        return await start(attempts - 1)
      }
    }
    const Id = await start(6)
    const sink = logs.open(source)
    let heard = 0
    for await (const frames of readOutput(socket, `/containers/${Id}`, { after: '', follow: true })) {
      for (const { stream, content, at } of frames.slice(0, 50 - heard))
        sink.write(stream, content, nanosOf(at))
      heard += frames.length
      if (heard >= 50) break
    }
    await sink.close()
    await eventually(async () => (await linesOf(socket, Id)) === 200)

    const ended = await next.endLeftovers(async of => ({ after: await logs.lastOf(of), sink: logs.open(of) }))
    expect(ended).toEqual([source.instanceId])
    const lines = await logs.read({ projectId: 'prj_a', tail: 1000, bytes: 1024 * 1024 })
    expect(lines.map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, i) => `line ${i + 1}`))
  })

  const hasNft = (await applyRules(networkRules(network, 'on', []))) === undefined
  describe.runIf(hasNft)('the firewall tables of networks', () => {
    const nft = (...args: string[]) => execFileSync(programAt('nft') ?? '', args, { encoding: 'utf8' })
    const tables = () => nft('list', 'tables', 'inet').split('\n')
    const settings = { nodeId: `node${randomText(12)}`, image, network: `svc-t${randomText(8)}`, host }
    const opened = (outbound: 'on' | 'public') =>
      new DockerRuntime({ ...settings, runtime: undefined, webPorts: [80], outbound })
    const table = `table inet ${tableOf(settings.network)}`

    test('are removed when apps may connect to everything', async () => {
      await opened('public').check()
      expect(tables()).toContain(table)
      expect((await opened('on').check()).warnings).toEqual([])
      expect(tables()).not.toContain(table)
    })

    test('are created again before an app starts if a reload of the firewall deleted them', async () => {
      const runtime = opened('public')
      onTestFinished(() => runtime.close())
      await runtime.check()
      nft('delete', 'table', 'inet', tableOf(settings.network))
      await runtime.start(appSpec(filesOf(listening)))
      expect(tables()).toContain(table)
    })

    test('are removed at the start if the network is gone, unlike tables that svcd did not make', async () => {
      const names = { stale: `svc_t${randomText(8)}`, foreign: `svc_t${randomText(8)}` }
      await applyRules(networkRules(names.stale, 'public', [80]))
      nft('add', 'table', 'inet', names.foreign)
      nft('add', 'chain', 'inet', names.foreign, 'to_machine')
      await opened('public').check()
      expect(tables()).not.toContain(`table inet ${names.stale}`)
      expect(tables()).toEqual(expect.arrayContaining([table, `table inet ${names.foreign}`]))
    })
  })

  test('a network that was removed is created again', async () => {
    const own = `svc-t${randomText(8)}`
    const settings = {
      ...{ host, nodeId: `node${randomText(12)}`, image, network: own, runtime: undefined, webPorts: [80] },
    }
    const runtime = new DockerRuntime({ ...settings, outbound: 'on' })
    const socket = new Engine(host)
    onTestFinished(async () => {
      await runtime.close()
      await socket.call('DELETE', `/networks/${own}`)
    })
    await runtime.check()
    await expect(new DockerRuntime({ ...settings, outbound: 'off' }).check()).rejects.toThrow('a way out')
    await socket.call('DELETE', `/networks/${own}`)
    const app = await runtime.start(appSpec(filesOf(listening)))
    expect(app.address.port).toBe(appPort)
  })

  test('a platform that runs apps as containers deploys, serves, logs and stops them', async () => {
    const server = await TestServer.start('sqlite', {
      SVCD_RUNNER: 'docker',
      SVCD_DOCKER_HOST: host,
      SVCD_RUNTIME_IMAGE: image,
      SVCD_DOCKER_NETWORK: network,
    })
    onTestFinished(() => server.remove())
    const app = await TestApp.create(server)
    const id = await app.deploy(procfileApp('boxed'))
    expect(await app.ask(id)).toBe('boxed')
    const logs = async () =>
      (await server.request(`/projects/${app.name}/logs`, { token: app.token })).json.logs as string
    await eventually(async () => (await logs()).includes('starting boxed\n'))
    const bad = await app.upload(procfileApp('bad', 'console.error("no database"); process.exit(1)'))
    expect([bad.status, bad.json.error.message]).toEqual([422, expect.stringContaining('no database')])
    const command = [
      'node',
      '-e',
      'console.log(process.env.SVC_PROJECT, process.argv[1]); process.exit(7)',
      'a b',
    ]
    const { text } = await send(server, `POST /projects/${app.name}/run`, app, { command })
    const written = Buffer.from(`${app.name} a b\n`).toString('base64')
    expect(text.trim().split('\n')).toEqual([
      JSON.stringify({ stdout: written }),
      JSON.stringify({ exit_code: 7, reason: null }),
    ])
    await app.ask(id, '/crash?code=3').catch(() => undefined)
    await eventually(async () => (await app.states(id))[0] === 'crashed')
    expect(await app.ask(id)).toBe('boxed')
  })
}
