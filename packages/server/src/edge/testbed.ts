// Starts an edge behind an HTTP server for tests. Packs are files in a temporary directory. Sites are kept in memory.
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Apps, noApps } from '../core/base/apps.ts'
import type { SiteTarget } from '../core/base/labels.ts'
import type { IsScheduled } from '../core/crons/signature.ts'
import { type Coding, variantPath, variantsId } from '../core/deployments/archive/variants.ts'
import type {
  DomainRedirect,
  EarlierDeployment,
  MovedSite,
  Site,
  SiteDeployment,
  SiteId,
  SiteReader,
} from '../core/projects/sites.ts'
import type { Access } from '../core/stats/access.ts'
import { Fault } from '../lib/fault.ts'
import { closeQueuedAnswers } from '../lib/queued-answers.ts'
import type { Change, Changes } from '../ports/changes/port.ts'
import { DiskPacks } from '../ports/packs/disk.ts'
import { PackWriter } from '../ports/packs/pack-writer.ts'
import type { Packs } from '../ports/packs/port.ts'
import { createEdge } from './edge.ts'
import type { EdgeSettings } from './edge-parts.ts'
import { Exchange } from './exchange.ts'
import type { Gate } from './gate/gate.ts'
import { createHosts } from './hosts.ts'
import { Http1Lane } from './lanes/lanes.ts'
import { onRequests } from './unread-bodies.ts'
import { readUpgrade } from './upgrades.ts'

export type FileTree = Record<string, string | Buffer>

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

/** Replaces the database in tests. Tests put their sites, deployments, branches and domains into its maps. */
export class MemorySites implements SiteReader {
  readonly sites = new Map<string, Site>()
  readonly deployments = new Map<string, SiteDeployment>()
  readonly branches = new Map<string, SiteDeployment>()
  /** By the id of the current deployment. */
  readonly superseded = new Map<string, EarlierDeployment[]>()
  readonly moved = new Map<string, MovedSite>()
  readonly domains = new Map<string, SiteTarget | DomainRedirect>()
  reads = 0
  /** Every read awaits this function after it looked up its row. Tests replace it to delay reads or to make them fail. */
  gate: () => Promise<void> = async () => undefined

  async byName(name: string) {
    return this.#answer(this.sites.get(name))
  }

  async byFormerName(name: string) {
    return this.#answer(this.moved.get(name))
  }

  async byDomain(domain: string) {
    return this.#answer(this.domains.get(domain))
  }

  async deployment({ projectId }: SiteId, deploymentId: string) {
    return this.#answer(this.deployments.get(`${projectId} ${deploymentId}`))
  }

  async previewLinks() {
    return this.#answer([])
  }

  async branch({ projectId }: SiteId, slug: string) {
    return this.#answer(this.branches.get(`${projectId} ${slug}`))
  }

  async earlier(_projectId: string, current: string) {
    return this.#answer(this.superseded.get(current) ?? [])
  }

  async #answer<T>(row: T): Promise<T> {
    this.reads++
    await this.gate()
    return row
  }
}

export class MemoryChanges implements Changes {
  readonly #listeners = new Set<(change: Change) => void>()

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }

  lagMs(): number {
    return 0
  }

  async close(): Promise<void> {
    this.#listeners.clear()
  }
}

export async function putPack(packs: Packs, id: string, files: FileTree): Promise<void> {
  const sink = await packs.create(id)
  const writer = PackWriter.create(sink)
  for (const [path, content] of Object.entries(files)) await writer.addFile(path, Buffer.from(content))
  await writer.finish()
}

export const deployedAt = Date.UTC(2026, 0, 31, 12, 30, 15, 500)
let lastId = 0
export const newDeploymentId = () => `dep_${(++lastId).toString(36).padStart(16, '0')}`

export type Testbed = Awaited<ReturnType<typeof startTestbed>>

export interface TestbedParts {
  apps: Apps
  gate: Gate
  isScheduled: IsScheduled
  isTrusted: (address: string) => boolean
  onInvalidated: (key: string) => void
}

export interface TestbedSettings extends EdgeSettings {
  /** Whether a lane answers common requests. If false, node:http answers every request. */
  fastLanes: boolean
}

export async function startTestbed(
  { fastLanes = process.env.SVCD_FAST_LANES !== '0', ...settings }: Partial<TestbedSettings> = {},
  parts: Partial<TestbedParts> = {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-edge-'))
  const packs = new DiskPacks(dir)
  const sites = new MemorySites()
  const changes = new MemoryChanges()
  const time = { now: deployedAt + 60_000 }
  const errors: unknown[] = []
  /** The entries that were written to the access log. */
  const accesses: Access[] = []
  const edge = createEdge({
    sites,
    changes,
    packs,
    clock: { now: () => time.now },
    gate: { admits: async () => false },
    apps: { ...noApps, ensureRunning: () => Promise.reject(new Fault('unavailable', 'There is no app.')) },
    isTrusted: () => false,
    ...parts,
    onError: error => errors.push(error),
    log: { isBusy: true, add: access => accesses.push(access) },
    settings,
  })
  const hosts = createHosts('example.test')
  const server = createServer()
  onRequests(server, (req, res) => edge.handle(new Exchange(req, res, hosts)))
  closeQueuedAnswers(server)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  /** How many requests the lane has passed to apps. */
  const counts = { passedToApps: 0 }
  const lane = fastLanes
    ? new Http1Lane(
        server,
        { find: request => edge.findHot(request, hosts.find(request.host)), count: edge.countHot },
        {
          apps: {
            find: (head, peer) => {
              const target = edge.findApp(head, hosts.find(head.host), peer)
              if (target !== undefined) counts.passedToApps++
              return target
            },
            count: edge.countApp,
          },
        },
      )
    : undefined

  server.on('upgrade', (req, socket, head) => {
    const upgrade = readUpgrade(server, req, socket, head)
    if (upgrade !== undefined) edge.upgrade(new Exchange(req, upgrade.res, hosts), upgrade)
  })

  async function deploy(
    project: string,
    files: FileTree,
    site: Partial<Site> = {},
    kind: Partial<SiteDeployment> = {},
  ): Promise<SiteDeployment> {
    const deployment: SiteDeployment = {
      id: newDeploymentId(),
      kind: 'static',
      createdAt: deployedAt,
      framework: null,
      ...kind,
    }
    await putPack(packs, deployment.id, files)
    const projectId = `prj_${project}`
    sites.deployments.set(`${projectId} ${deployment.id}`, deployment)
    const rest = { expiresAt: undefined, guard: undefined, previewGuard: site?.guard, ...site }
    sites.sites.set(project, { projectId, name: project, active: deployment, ...rest })
    changes.tell({ topic: 'project', key: project })
    return deployment
  }

  async function addVariants(
    id: string,
    files: Record<string, Partial<Record<Coding, string>>>,
  ): Promise<void> {
    const variants = Object.entries(files).flatMap(([path, codings]) =>
      Object.entries(codings).map(([coding, content]) => [variantPath(path, coding as Coding), content]),
    )
    await putPack(packs, variantsId(id), Object.fromEntries(variants))
  }

  function ask(host: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return new Promise((done, fail) => {
      const headers = { host: host.includes('.') ? host : `${host}.example.test`, ...options.headers }
      const req = request({ port, host: '127.0.0.1', path, agent: false, ...options, headers }, res => {
        const chunks: Buffer[] = []
        res.on('data', chunk => chunks.push(chunk))
        res.on('error', fail)
        res.on('end', () => {
          const body = Buffer.concat(chunks)
          done({ status: res.statusCode!, headers: res.headers, body, text: body.toString() })
        })
      })
      req.on('error', fail)
      req.end()
    })
  }

  /** Sends the bytes and returns what the server sends until it closes the connection. The request must ask for that. */
  function send(bytes: string): Promise<string> {
    return new Promise((done, fail) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
      const chunks: Buffer[] = []
      socket.on('data', chunk => chunks.push(chunk))
      socket.on('error', fail)
      socket.on('close', () => done(Buffer.concat(chunks).toString('latin1')))
    })
  }

  /** Returns how many file descriptors of this process refer to files in the directory of the packs. */
  async function openFiles(): Promise<number> {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    return links.filter(link => link.startsWith(dir)).length
  }

  async function stop(): Promise<void> {
    edge.close()
    const closed = new Promise(done => server.close(done))
    lane?.drain()
    lane?.closeNow()
    server.closeAllConnections()
    await closed
    await rm(dir, { recursive: true })
  }

  return {
    edge,
    server,
    hosts,
    packs,
    sites,
    changes,
    time,
    errors,
    accesses,
    counts,
    closeLane: () => {
      lane?.drain()
      lane?.closeIdle()
    },
    port,
    deploy,
    addVariants,
    ask,
    send,
    openFiles,
    stop,
  }
}
