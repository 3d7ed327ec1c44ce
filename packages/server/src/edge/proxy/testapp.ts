// A server app for tests, with the edge in front of it. The sockets are real. There is no runner.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net'
import type { AppAddress, Apps } from '../../core/base/apps.ts'
import type { Site, SiteDeployment } from '../../core/projects/sites.ts'
import {
  type FileTree,
  startTestbed,
  type Testbed,
  type TestbedParts,
  type TestbedSettings,
} from '../testbed.ts'

/** Timeouts that no test reaches, so that a slow machine changes nothing: connections to apps are kept, and the lane uses them. */
export const patient = { answer: 600_000, idle: 600_000, reuse: 600_000 }

/** Returns one address for every app and records the calls of the edge. */
class TestApps implements Apps {
  address: AppAddress = { host: '127.0.0.1', port: 0 }
  /** The number of requests and tunnels under way. */
  underWay = 0
  /** How often `ensureRunning` was called. */
  reached = 0
  /** The addresses that the edge marked as unreachable. */
  readonly failures: AppAddress[] = []
  /** Called by `ensureRunning`, so that a test can delay it, make it fail, or change the address. */
  onReach: (signal: AbortSignal | undefined) => Promise<void> | void = () => undefined

  /** The address from the last `ensureRunning`, as long as nothing has changed since. */
  #known: AppAddress | undefined

  peek(): AppAddress | undefined {
    return this.#known === this.address ? this.#known : undefined
  }

  async ensureRunning(_app: unknown, signal?: AbortSignal): Promise<AppAddress> {
    this.reached++
    await this.onReach(signal)
    this.#known = this.address
    return this.address
  }

  async connect(address: AppAddress): Promise<Socket> {
    return connect(address)
  }

  markBusy(): () => void {
    this.underWay++
    return () => {
      this.underWay--
    }
  }

  markUnreachable(_deploymentId: string, address: AppAddress): void {
    this.#known = undefined
    this.failures.push(address)
  }
}

export interface TestApp extends Testbed {
  apps: TestApps
  app: Server
  deployApp(
    project: string,
    files?: FileTree,
    site?: Partial<Site>,
    kind?: Partial<SiteDeployment>,
  ): Promise<SiteDeployment>
}

/** Starts an app with this listener and the edge, and deploys the app as the project `shop`. */
export async function startTestApp(
  listener: RequestListener,
  settings: Partial<TestbedSettings> = {},
  parts: Partial<TestbedParts> = {},
): Promise<TestApp> {
  const app = createServer({ keepAliveTimeout: patient.reuse }, listener)
  const port = await listening(app)
  const apps = new TestApps()
  apps.address = { host: '127.0.0.1', port }
  const bed = await startTestbed(settings, { apps, ...parts })
  const deployApp: TestApp['deployApp'] = (project, files = { 'server.js': '' }, site = {}, kind = {}) =>
    bed.deploy(project, files, site, { kind: 'server', framework: 'procfile', ...kind })
  await deployApp('shop')
  const stop = async () => {
    await bed.stop()
    const closed = new Promise(done => app.close(done))
    app.closeAllConnections()
    await closed
  }
  return { ...bed, apps, app, deployApp, stop }
}

/** Starts an app that is a plain TCP server. `onData` gets the bytes of each request and may answer with any bytes. */
export async function startRawApp(
  onData: (chunk: string, socket: Socket) => void,
): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('data', chunk => onData(chunk.toString('latin1'), socket))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  const port = await listening(server)
  return {
    port,
    async stop() {
      const closed = new Promise(done => server.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function listening(server: TcpServer): Promise<number> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

export async function textOf(stream: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}
