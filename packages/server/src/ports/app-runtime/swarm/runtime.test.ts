import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { procfileApp, TestApp } from '../../../testing/apps.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeTar } from '../../../testing/make-tar.ts'
import { TestServer } from '../../../testing/server.ts'
import type { LogSink } from '../../app-logs/port.ts'
import { askAt, describeRuntime } from '../conformance.ts'
import { DockerImages } from '../docker/app-images.ts'
import { Engine } from '../docker/engine.ts'
import { tableOf } from '../docker/firewall.ts'
import { appSpec, openTestEngine } from '../docker/testbed.ts'
import { type AppSpec, appPort, type RunningApp } from '../port.ts'
import { programAt } from '../programs.ts'
import { projectUser } from '../project-user.ts'
import { SwarmRuntime, type SwarmSettings } from './runtime.ts'
import { describeService } from './service.ts'

const engine = await openTestEngine('swarm')
afterAll(() => engine.close())

test('a service has only the privileges that an app needs', () => {
  const settings = {
    nodeId: 'n',
    image: 'i',
    network: 'net',
    logDriver: 'local',
    constraints: ['node.id==a'],
    mapsUsers: false,
  } as const
  const described = describeService(appSpec('/files', { scratchDirs: ['.next/cache'] }), settings)
  const { ContainerSpec, Resources, RestartPolicy, Placement } = described.TaskTemplate
  expect(ContainerSpec).toMatchObject({
    ...{
      Image: 'i',
      Command: ['node', 'app.cjs'],
      Dir: '/app',
      User: `${projectUser('prj_a')}:${projectUser('prj_a')}`,
    },
    ...{ Init: true, ReadOnly: true, CapabilityDrop: ['ALL'], Privileges: { NoNewPrivileges: true } },
    Mounts: [
      { Type: 'bind', Source: '/files', Target: '/app', ReadOnly: true },
      { Type: 'tmpfs', Target: '/tmp' },
      { Type: 'tmpfs', Target: '/app/.next/cache' },
    ],
  })
  expect(Resources).toEqual({
    Limits: { MemoryBytes: 256 * 1024 * 1024, NanoCPUs: 500_000_000, Pids: 64 },
    SwapBytes: 0,
  })
  expect([RestartPolicy.Condition, Placement.Constraints]).toEqual(['none', ['node.id==a']])
  expect(described.EndpointSpec.Ports).toEqual([
    { Protocol: 'tcp', TargetPort: appPort, PublishMode: 'host' },
  ])
})

/** Makes a folder with an app, which is removed after the test. */
function filesOf(app: string): string {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-swarm-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const dir = path.join(root, 'files')
  mkdirSync(dir)
  writeFileSync(path.join(dir, 'app.cjs'), app)
  return dir
}

/** An app that tells whether the address in a request accepts connections. It ends with the code in the request `/exit_7`. */
const probing = `
  const net = require('node:net')
  console.log('up')
  process.on('SIGTERM', () => { console.log('goodbye'); process.exit(0) })
  require('node:http').createServer((req, res) => {
    const [host, port] = req.url.slice(1).split('_')
    if (host === 'exit') process.exit(Number(port))
    if (host === 'kill') process.kill(process.pid, 'SIGKILL')
    const socket = net.connect({ host, port, timeout: 1500 })
    const say = answer => { socket.destroy(); res.end(JSON.stringify(answer)) }
    socket.on('connect', () => say('open')).on('error', () => say('closed')).on('timeout', () => say('closed'))
  }).listen(process.env.PORT)`

/** A program that prints whether an address accepts connections from the local address in its arguments. */
const knock = `
  const [host, port, localAddress] = process.argv.slice(1)
  const socket = require('node:net').connect({ host, port, localAddress, timeout: 1500 })
  const say = answer => { console.log(answer); process.exit() }
  socket.on('connect', () => say('open')).on('error', () => say('closed')).on('timeout', () => say('closed'))`

if ('missing' in engine || !engine.worker) {
  const why = 'missing' in engine ? engine.missing : 'there is no second machine'
  console.warn(`The tests of apps in a swarm are skipped: ${why}`)
  describe.skip(`apps in a swarm (${why})`, () => test('all of it', () => undefined))
} else {
  const { host, image, worker } = engine
  const manager = new Engine(host)
  const network = `svc-t${randomText(8)}`
  const settings = (nodeId = `node${randomText(12)}`): SwarmSettings => ({
    ...{ host, nodeId, image, network },
    ...{ runtime: undefined, outbound: 'public', webPorts: [80] },
  })

  function opened(nodeId?: string, extra: Partial<SwarmSettings> = {}): SwarmRuntime {
    const runtime = new SwarmRuntime({ ...settings(nodeId), ...extra })
    onTestFinished(() => runtime.close())
    return runtime
  }

  const services = async () => (await manager.call<{ Spec: { Name: string } }[]>('GET', '/services')).length

  describeRuntime('apps in a swarm', {
    open: async nodeId => new SwarmRuntime(settings(nodeId)),
    isolates: true,
    limits: true,
  })

  test('an engine that manages no swarm is refused with what to do', async () => {
    await expect(opened(undefined, { host: worker.host }).check()).rejects.toThrow('docker swarm init')
  })

  test('a runtime that is not the default one of the engine is refused', async () => {
    await expect(opened(undefined, { runtime: 'runsc' }).check()).rejects.toThrow('default-runtime')
  })

  test('the image of a Dockerfile runs on the machine that built it, at the port that it exposes', async () => {
    const images = new DockerImages({ ...settings(), network: `svc-t${randomText(8)}` })
    const app = "require('node:http').createServer((q, s) => s.end(String(process.getuid()))).listen(8090)"
    // An engine ends a service whose health check fails.
    const health = 'HEALTHCHECK --interval=1s --retries=1 CMD exit 1'
    const dockerfile = `FROM ${image}\n${health}\nEXPOSE 8090\nCOPY app.cjs /srv/\nCMD ["/usr/local/bin/node", "/srv/app.cjs"]\n`
    const context = makeTar([
      { path: 'Dockerfile', content: dockerfile },
      { path: 'app.cjs', content: app },
    ])
    const built = await images.build(
      {
        ...{
          context: async () => Readable.from([context]),
          dockerfile: 'Dockerfile',
          args: {},
          withCache: true,
        },
        ...{ limits: { memoryBytes: 1024 ** 3, cpus: 1 }, output: () => true },
      },
      AbortSignal.timeout(120_000),
    )
    onTestFinished(() => images.remove(built.name))
    const runtime = opened()
    const running = await runtime.start(appSpec('', { image: built.name, command: ['node'] }))
    expect(running.address.appPort).toBe(8090)
    expect(await askAt(runtime, running, '')).toBe(projectUser('prj_a'))
    await running.stop(0)
  })

  test('an app that the engine failed to start is started again', async () => {
    const dir = filesOf(probing)
    // The engine cannot start it as long as it finds no place to mount the directory.
    const started = opened().start(appSpec(dir, { scratchDirs: ['cache'] }))
    const ids = new Set<string>()
    await eventually(async () => {
      for (const { ID } of await manager.call<{ ID: string }[]>('GET', '/services')) ids.add(ID)
      return ids.size > 1
    })
    mkdirSync(path.join(dir, 'cache'))
    expect((await started).address.port).toBeGreaterThan(0)
  })

  test('only machines of the swarm can connect to an app, and apps cannot', async () => {
    const runtime = opened()
    const dir = filesOf(probing)
    const [one, two] = await Promise.all([runtime.start(appSpec(dir)), runtime.start(appSpec(dir))])
    const { host: address, port } = two.address
    const stranger = '10.213.7.9'
    const inWorker = (...argv: string[]) =>
      execFileSync('nsenter', ['-t', String(worker.pid), '-n', ...argv], { encoding: 'utf8' }).trim()
    inWorker(programAt('ip') ?? 'ip', 'address', 'add', `${stranger}/24`, 'dev', 'svc-t-worker')
    const from = (local: string) => inWorker(process.execPath, '-e', knock, address, String(port), local)
    expect(from(worker.address)).toBe('open')
    expect(from(stranger)).toBe('closed')
    expect(await askAt(runtime, one, `${address}_${port}`)).toBe('closed')
  })

  test('an app has no swap, also with an engine that gives swap to each service', async () => {
    const app = await opened().start(appSpec(filesOf(probing)))
    const filters = encodeURIComponent(JSON.stringify({ label: [`svc.instance=${app.instanceId}`] }))
    const [service] = await manager.call<{ ID: string }[]>('GET', `/services?filters=${filters}`)
    const ofService = encodeURIComponent(
      JSON.stringify({ label: [`com.docker.swarm.service.id=${service?.ID}`] }),
    )
    const [container] = await manager.call<{ Id: string }[]>('GET', `/containers/json?filters=${ofService}`)
    const { HostConfig } = await manager.call<{ HostConfig: { Memory: number; MemorySwap: number } }>(
      'GET',
      `/containers/${container?.Id}/json`,
    )
    expect(HostConfig.Memory).toBe(256 * 1024 * 1024)
    const { SwapLimit } = await manager.call<{ SwapLimit: boolean }>('GET', '/info')
    expect(HostConfig.MemorySwap).toBe(SwapLimit ? HostConfig.Memory : -1)
  })

  test('an app reaches no metadata service of a cloud, though the machine does', async () => {
    // A neighbour of 169.254.169.254, where this machine may have a real one.
    const metadata = '169.254.213.7'
    const ip = programAt('ip') ?? 'ip'
    const inWorker = ['-t', String(worker.pid), '-n']
    execFileSync('nsenter', [...inWorker, ip, 'address', 'add', `${metadata}/32`, 'dev', 'svc-t-worker'])
    execFileSync(ip, ['route', 'add', `${metadata}/32`, 'via', worker.address])
    onTestFinished(() => void execFileSync(ip, ['route', 'delete', `${metadata}/32`]))
    const serve = "require('node:net').createServer(s => s.end()).listen(8099, () => console.log('up'))"
    const service = spawn('nsenter', [...inWorker, process.execPath, '-e', serve])
    onTestFinished(() => void service.kill('SIGKILL'))
    await once(service.stdout, 'data')
    const machine = execFileSync(process.execPath, ['-e', knock, metadata, '8099'], { encoding: 'utf8' })
    expect(machine.trim()).toBe('open')
    const runtime = opened()
    const app = await runtime.start(appSpec(filesOf(probing)))
    expect(await askAt(runtime, app, `${metadata}_8099`)).toBe('closed')
  })

  test('lines that an app wrote while svcd was down are stored by the next svcd, each once', async () => {
    const counting = `
      let n = 0; const timer = setInterval(() => { console.log('line ' + ++n); if (n === 200) clearInterval(timer) }, 2)
      require('node:http').createServer().listen(process.env.PORT)`
    const nodeId = `node${randomText(12)}`
    const heard: { text: string; at: bigint }[] = []
    const output: AppSpec['output'] = (_, chunk, at = 0n) => heard.push({ text: String(chunk), at }) > 0
    const app = await opened(nodeId).start(appSpec(filesOf(counting), { output }))
    await eventually(async () => heard.length === 200)
    const stored: string[] = []
    const sink: LogSink = {
      write: (_, chunk) => stored.push(String(chunk)) > 0,
      note: () => undefined,
      close: async () => undefined,
    }
    const ended = await opened(nodeId).endLeftovers(async () => ({ after: heard[49]?.at ?? 0n, sink }))
    expect(ended).toEqual([app.instanceId])
    expect(stored).toEqual(Array.from({ length: 150 }, (_, i) => `line ${i + 51}\n`))
  })

  test('a platform that runs apps in a swarm deploys, serves, logs, stops and wakes them', async () => {
    const shared = mkdtempSync(path.join(tmpdir(), 'svc-swarm-'))
    onTestFinished(() => rmSync(shared, { recursive: true }))
    const server = await TestServer.start('sqlite', {
      SVCD_RUNNER: 'swarm',
      SVCD_DOCKER_HOST: host,
      SVCD_RUNTIME_IMAGE: image,
      SVCD_SWARM_NETWORK: network,
      SVCD_DOCKER_NETWORK: `svc-t${randomText(8)}`,
      SVCD_APP_FILES_DIR: shared,
      SVCD_IDLE_SECONDS: '1',
    })
    onTestFinished(() => server.remove())
    const app = await TestApp.create(server)
    const id = await app.deploy(procfileApp('swarming'))
    expect((await server.site(app.name)).text).toBe('swarming')
    expect(readdirSync(path.join(shared, server.running.platform.nodeId))).toContain(id)
    const logs = async () =>
      (await server.request(`/projects/${app.name}/logs`, { token: app.token })).json.logs as string
    await eventually(async () => (await logs()).includes('starting swarming\n'))
    const bad = await app.upload(procfileApp('bad', 'console.error("no database"); process.exit(1)'))
    expect([bad.status, bad.json.error.message]).toEqual([422, expect.stringContaining('no database')])
    // Without visitors the app is stopped, and nothing of it is left in the swarm. The next visitor starts it.
    await eventually(async () => (await app.states(id)).every(state => state === 'stopped'))
    expect(await services()).toBe(0)
    expect((await server.site(app.name)).text).toBe('swarming')
    await app.ask(id, '/crash?code=3').catch(() => undefined)
    await eventually(async () => (await app.states(id)).includes('crashed'))
    expect((await server.site(app.name)).text).toBe('swarming')
  })

  describe('on another machine', () => {
    interface Node {
      ID: string
      Version: { Index: number }
      Spec: object
      ManagerStatus?: object
      Status: { State: string }
    }
    const workerNode = async (): Promise<Node> => {
      const nodes = await manager.call<Node[]>('GET', '/nodes')
      return nodes.find(({ ManagerStatus }) => !ManagerStatus) as Node
    }

    beforeAll(async () => {
      // What docs/swarm.md tells operators to do on each machine. The files are shared: both machines are this one.
      await new Engine(worker.host).call('POST', '/networks/create', {
        Name: `${network}-config`,
        ConfigOnly: true,
        Options: {
          'com.docker.network.bridge.name': network,
          'com.docker.network.bridge.enable_icc': 'false',
          'com.docker.network.bridge.host_binding_ipv4': worker.address,
        },
      })
      const { ID, Version, Spec } = await workerNode()
      const labelled = { ...Spec, Labels: { 'svc.apps': 'yes' } }
      await manager.call('POST', `/nodes/${ID}/update?version=${Version.Index}`, labelled)
    })

    async function started(
      extra: Partial<AppSpec> = {},
    ): Promise<{ runtime: SwarmRuntime; app: RunningApp }> {
      const runtime = opened()
      const app = await runtime.start(appSpec(filesOf(probing), extra))
      expect(app.address.host).toBe(worker.address)
      return { runtime, app }
    }

    test('an app runs, answers and shuts down cleanly, and its output is passed on to the last line', async () => {
      const chunks: string[] = []
      const output: AppSpec['output'] = (stream, chunk) => chunks.push(`${stream}: ${chunk}`) > 0
      const { runtime, app } = await started({ output })
      expect(await askAt(runtime, app, `127.0.0.1_${appPort}`)).toBe('open')
      expect(await app.usage()).toBeUndefined()
      expect(await app.stop(60_000)).toEqual({ code: 0, signal: null, outOfMemory: false })
      expect(chunks).toEqual(['stdout: up\n', 'stdout: goodbye\n'])
      await expect(askAt(runtime, app, '')).rejects.toThrow()
      expect(await services()).toBe(0)
    })

    test('the exit code of an app that ends by itself is reported', async () => {
      const { runtime, app } = await started()
      askAt(runtime, app, 'exit_7').catch(() => undefined)
      expect(await app.ended).toEqual({ code: 7, signal: null, outOfMemory: false })
    })

    test('an app that ends by a SIGKILL of the kernel is taken for one that used too much memory', async () => {
      const { runtime, app } = await started()
      askAt(runtime, app, 'kill').catch(() => undefined)
      expect(await app.ended).toEqual({ code: null, signal: 'SIGKILL', outOfMemory: true })
    })

    test('the firewall rules of the machine of svcd also guard the other one', async () => {
      const { runtime, app } = await started()
      const platform = createServer(socket => socket.end())
      await new Promise<void>(resolve => platform.listen(0, resolve))
      onTestFinished(() => void platform.close())
      const { port } = platform.address() as AddressInfo
      const addressOfManager = (await manager.call<{ Swarm: { NodeAddr: string } }>('GET', '/info')).Swarm
        .NodeAddr
      expect(await askAt(runtime, app, `${addressOfManager}_${port}`)).toBe('open')
      const nft = programAt('nft') ?? 'nft'
      const rules = execFileSync(nft, ['list', 'table', 'inet', tableOf(network)])
      execFileSync('nsenter', ['-t', String(worker.pid), '-n', nft, '-f', '-'], { input: rules })
      expect(await askAt(runtime, app, `${addressOfManager}_${port}`)).toBe('closed')
      expect(await askAt(runtime, app, `127.0.0.1_${appPort}`)).toBe('open')
    })

    test('the error names a machine that is not ready for apps', async () => {
      const runtime = opened(undefined, { network: `svc-t${randomText(8)}` })
      const error = await runtime.start(appSpec(filesOf(probing))).catch(error => error)
      expect(error).toMatchObject({
        reason: 'cannot run',
        message: expect.stringContaining('on the machine'),
      })
    })

    test('an app whose machine is lost has ended', async () => {
      const { app } = await started()
      process.kill(worker.pid, 'SIGSTOP')
      onTestFinished(async () => {
        process.kill(worker.pid, 'SIGCONT')
        await eventually(async () => (await workerNode()).Status.State === 'ready')
      })
      expect(await app.ended).toEqual({ code: null, signal: 'SIGKILL', outOfMemory: false })
    })
  })
}
