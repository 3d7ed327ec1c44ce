// Serves sites: host → site → gate → deployment → file or app.
import { sharePath } from '../core/access/guard.ts'
import type { Apps } from '../core/base/apps.ts'
import type { IsScheduled } from '../core/crons/signature.ts'
import type { SiteReader } from '../core/projects/sites.ts'
import type { AccessLog } from '../core/stats/access.ts'
import { cameByHttps } from '../lib/client-address.ts'
import type { Clock } from '../lib/clock.ts'
import type { Peer } from '../lib/received.ts'
import type { Changes } from '../ports/changes/port.ts'
import type { Packs } from '../ports/packs/port.ts'
import { AppSource } from './app-source.ts'
import { AppCache } from './cache/app-cache.ts'
import { EarlierFiles } from './earlier-files.ts'
import { preferenceOf } from './encodings.ts'
import type { Exchange } from './exchange.ts'
import { type Choice, Files } from './files.ts'
import { type Forms, noForms } from './forms/forms.ts'
import { redirectIntoSite } from './gate/answers.ts'
import type { Gate } from './gate/gate.ts'
import { PathPasswords } from './gate/path-passwords.ts'
import { unlockPath } from './gate/unlock-page.ts'
import { type Destination, hostname, type SiteDestination } from './hosts.ts'
import { type HotFile, HotFiles } from './hot-files.ts'
import { countHot } from './hot-source.ts'
import type { AppAnswer, Head, HotAnswer, HotRequest } from './lanes/lanes.ts'
import { OpenPacks } from './open-packs.ts'
import { sendPage, sendRedirect, sendSuspended } from './pages.ts'
import type { LaneTarget } from './proxy/lane-target.ts'
import { AppProxy } from './proxy/proxy.ts'
import type { AppTimeouts } from './proxy/timeouts.ts'
import type { ConcurrencyLimits } from './proxy/upstream.ts'
import { redirectToHost } from './redirects.ts'
import type { Route } from './route.ts'
import { type Found, type Guarded, type Open, Sites } from './sites.ts'
import { isPlatformPath } from './targets.ts'
import type { Upgrade } from './upgrades.ts'

interface EdgeParts {
  sites: SiteReader
  /** Reads the copies on the disk, while the database does not answer. */
  keptSites?: SiteReader | undefined
  changes: Changes
  packs: Packs
  clock: Clock
  gate: Gate
  /** Whether a request is one of the project's own scheduled jobs. */
  isScheduled?: IsScheduled
  /** Counts a wrong path password across all processes. Returns true if there are too many. */
  countGuess?(key: string): Promise<boolean>
  forms?: Forms
  /** Receives an entry for every answer of a site. */
  log: AccessLog
  apps: Apps
  /** Called with a cache key and the number of cache entries that a change of this key dropped. */
  onEvicted?(key: string, count: number): void
  /** Called with a cache key that a visitor's request invalidated, so that other processes can drop their entries. */
  onInvalidated?(key: string): void
  /** Whether X-Forwarded-* headers from this address are believed. */
  isTrusted(address: string): boolean
  /** Called with every error. `exchange` is the request that failed because of the error, if there is one. */
  onError: (error: unknown, exchange?: Exchange) => void
  settings?: Partial<EdgeSettings>
}

export interface EdgeSettings {
  /** Memory for hot files, in bytes. */
  memoryBytes: number
  /** Memory for the indexes of open packs, in bytes. */
  indexBytes: number
  /** How many packs may be open at the same time. */
  openPacks: number
  /** How long the hashed files of a superseded deployment stay reachable, in milliseconds. */
  skewMs: number
  /** Memory for cached answers of server apps, in bytes. */
  cacheBytes: number
  /** Timeouts of requests to server apps, in milliseconds. */
  appTimeouts: AppTimeouts
  /** How many requests to server apps may be under way at the same time. */
  appConcurrency: ConcurrencyLimits
}

const MB = 1024 * 1024
const defaults: EdgeSettings = {
  memoryBytes: 64 * MB,
  indexBytes: 16 * MB,
  openPacks: 256,
  skewMs: 24 * 3_600_000,
  cacheBytes: 64 * MB,
  appTimeouts: { answer: 60_000, idle: 300_000 },
  appConcurrency: { perApp: 1_000, inAll: 10_000 },
}

export interface Edge {
  /** Answers a request to a site or to an unknown host. */
  handle(exchange: Exchange): void
  /** Passes an upgrade request to the app, or declines it. */
  upgrade(exchange: Exchange, upgrade: Upgrade): void
  /** Returns the file that answers the request, if the file is in memory and its site is not protected. */
  findHot(request: HotRequest, destination: Destination): HotFile | undefined
  /** Writes what a lane answered to the access log. */
  countHot(hot: HotFile, request: HotRequest, answer: HotAnswer, peer: Peer): void
  /** Returns where a passable request goes, if a lane may pass it to the app of its site. */
  findApp(head: Head, destination: Destination, peer: Peer): LaneTarget | undefined
  /** Writes an answer that a lane passed on from an app to the access log. */
  countApp(target: LaneTarget, head: Head, answer: AppAnswer, peer: Peer): void
  /** Whether the destination is a static site without protection. Returns a promise if the site must be read first. */
  isPublicStaticSite(destination: Destination): boolean | Promise<boolean>
  /** The names of the projects and domains in memory. */
  readonly known: Sites['known']
  close(): void
}

/** The edge of a process that serves no sites. It answers every request as one to an unknown host. */
export const closedEdge: Edge = {
  handle: exchange => sendPage(exchange, 'unknownHost'),
  upgrade: (_exchange, upgrade) => upgrade.decline(),
  findHot: () => undefined,
  countHot: () => undefined,
  findApp: () => undefined,
  countApp: () => undefined,
  isPublicStaticSite: () => false,
  known: { projects: [], domains: [] },
  close: () => undefined,
}

export function createEdge(parts: EdgeParts): Edge {
  const { sites: reader, changes, packs, clock, gate, forms = noForms, onError, settings } = parts
  const { memoryBytes, indexBytes, openPacks, skewMs, cacheBytes, appTimeouts, appConcurrency } = {
    ...defaults,
    ...settings,
  }
  const cameSecurely = cameByHttps(parts.isTrusted)
  const sites = new Sites(reader, changes, clock, parts.keptSites)
  const open = new OpenPacks(packs, { indexBytes, count: openPacks }, onError)
  const passwords = new PathPasswords({ isScheduled: async () => false, ...parts })
  const earlier = new EarlierFiles({ reader, packs: open, skewMs, clock, onError })
  const files = new Files({ hot: new HotFiles(memoryBytes), packs: open, earlier, passwords, clock, onError })
  const proxy = new AppProxy({ ...parts, timeouts: appTimeouts, limits: appConcurrency })
  const cache = new AppCache({ ...parts, proxy, bytes: cacheBytes })
  const apps = new AppSource({ ...parts, files, cache, proxy })

  /** Sends a 503 page if `work` fails. If the answer has already begun, aborts it instead. */
  function sendPageOnFailure(exchange: Exchange, work: Promise<void>): void {
    work.catch(error => {
      onError(error, exchange)
      if (exchange.res.headersSent) exchange.res.destroy()
      else sendPage(exchange, 'unavailable')
    })
  }

  function serveSite(exchange: Exchange, found: Found): void {
    if (found.state !== 'unknown') exchange.logTo(parts, found.projectId)
    if (found.state === 'suspended') sendSuspended(exchange, found)
    else if (found.state === 'guarded') sendPageOnFailure(exchange, serveGuarded(exchange, found))
    else serveOpenSite(exchange, found)
  }

  async function serveGuarded(exchange: Exchange, { guard, behind }: Guarded): Promise<void> {
    if (await gate.admits(exchange, guard)) serveOpenSite(exchange, behind)
  }

  function serveOpenSite(exchange: Exchange, found: Open): void {
    if (found.state === 'unknown') return void sendPage(exchange, 'unknownHost')
    if (found.state === 'moved') return void redirectToHost(exchange, found.to, cameSecurely(exchange))
    if (found.state === 'empty') return void sendPage(exchange, 'noDeployment')
    const { route } = found
    exchange.deploymentId = route.deployment.id
    exchange.source = 'static'
    if (!exchange.isReading) {
      if (route.hasNoPathPasswords) return void handleUnsafeMethod(exchange, route)
      return void sendPageOnFailure(exchange, checkAndHandleUnsafeMethod(exchange, route))
    }
    // The link to a preview stays good when the protection of the preview is removed.
    if (exchange.target?.path === sharePath) return void redirectIntoSite(exchange, '/')
    if (route.deployment.kind === 'server' && isPlatformPath(exchange.target))
      return void refusePlatformPath(exchange)
    if (files.sendHot(exchange, route)) return
    if (files.isForApp(exchange.target, () => exchange.hostname, route))
      return void passToApp(exchange, route)
    sendPageOnFailure(
      exchange,
      files.choose(exchange, route, choice => sendChoice(exchange, choice)),
    )
  }

  function sendChoice(exchange: Exchange, choice: Choice): Promise<void> | void {
    if (choice.to === 'file') return choice.send()
    if (choice.to === 'redirect') return sendRedirect(exchange, choice, choice.route)
    if (choice.to === 'page') return sendPage(exchange, choice.page)
    if (choice.to === 'app') passToApp(exchange, choice.route)
  }

  function passToApp(exchange: Exchange, route: Route): void {
    exchange.source = 'app'
    cache.handleRequest(exchange, route).catch(error => {
      onError(error, exchange)
      exchange.res.destroy()
    })
  }

  async function checkAndHandleUnsafeMethod(exchange: Exchange, route: Route): Promise<void> {
    const admitted = await files.admit(exchange, route)
    if (admitted !== undefined) handleUnsafeMethod(exchange, admitted)
  }

  /** Passes a request other than GET and HEAD to a form or to the app, or refuses it. */
  function handleUnsafeMethod(exchange: Exchange, route: Route): void {
    if (forms.receive(exchange, route.projectId)) return
    if (route.deployment.kind !== 'server') redirectOrRefuse(exchange, route)
    else if (isPlatformPath(exchange.target)) refusePlatformPath(exchange)
    else passToApp(exchange, route)
  }

  /** The redirects of a site apply to every method, and 307 and 308 keep it. Its files are only for GET and HEAD. */
  function redirectOrRefuse(exchange: Exchange, route: Route): void {
    if (isPlatformPath(exchange.target)) return void refuseMethod(exchange)
    sendPageOnFailure(
      exchange,
      files.choose(exchange, route, choice => {
        if (choice.to === 'redirect' && choice.byRule) sendRedirect(exchange, choice, choice.route)
        else if (choice.to !== 'refused') refuseMethod(exchange)
      }),
    )
  }

  /** Passes an upgrade request to the app of a site. Declines the upgrade if the site has no app. */
  async function passUpgrade(
    exchange: Exchange,
    upgrade: Upgrade,
    destination: SiteDestination,
  ): Promise<void> {
    const found = sites.peek(destination) ?? (await sites.find(destination))
    const open = found.state === 'guarded' ? found.behind : found
    if (open.state !== 'live' || open.route.deployment.kind !== 'server' || isPlatformPath(exchange.target))
      return upgrade.decline()
    exchange.logTo(parts, open.projectId)
    exchange.deploymentId = open.route.deployment.id
    exchange.source = 'app'
    const admitted = found.state !== 'guarded' || (await gate.admits(exchange, found.guard))
    const route = admitted ? await files.admit(exchange, open.route) : undefined
    if (route !== undefined) await proxy.proxyRequest(exchange, route, { upgrade })
  }

  async function findAndServeSite(exchange: Exchange, destination: SiteDestination): Promise<void> {
    serveSite(exchange, await sites.find(destination))
  }

  return {
    handle(exchange) {
      const { destination } = exchange
      if (!isSite(destination)) return sendPage(exchange, 'unknownHost')
      const found = sites.peek(destination)
      if (found === undefined) sendPageOnFailure(exchange, findAndServeSite(exchange, destination))
      else serveSite(exchange, found)
    },
    upgrade(exchange, upgrade) {
      const { destination } = exchange
      if (!isSite(destination)) return upgrade.decline()
      passUpgrade(exchange, upgrade, destination).catch(error => {
        onError(error, exchange)
        upgrade.socket.destroy()
      })
    },
    findHot(request, destination) {
      const found = isSite(destination) ? sites.peek(destination) : undefined
      if (found?.state !== 'live') return undefined
      const name = () => hostname(request.host) ?? ''
      return files.findHot(found.route, preferenceOf(request.acceptEncoding), request.target, name)
    },
    findApp(head, destination, peer) {
      const found = isSite(destination) ? sites.peek(destination) : undefined
      return found?.state === 'live' ? apps.find(head, found.route, peer) : undefined
    },
    countApp: (target, head, answer, peer) => apps.count(target, head, answer, peer),
    isPublicStaticSite(destination) {
      if (!isSite(destination)) return false
      const found = sites.peek(destination)
      return found === undefined ? sites.find(destination).then(isPublicStatic) : isPublicStatic(found)
    },
    get known() {
      return sites.known
    },
    countHot: (hot, request, answer, peer) => countHot(parts, hot, request, answer, peer),
    close() {
      sites.close()
      open.close()
      cache.close()
      proxy.close()
    },
  }
}

const isPublicStatic = (found: Found): boolean =>
  found.state === 'live' && found.route.deployment.kind === 'static'

const isSite = (destination: Destination): destination is SiteDestination =>
  destination.to === 'site' || destination.to === 'domain'

function refusePlatformPath(exchange: Exchange): void {
  if (exchange.method === 'POST') refuseMethod(exchange)
  else sendPage(exchange, 'missing')
}

function refuseMethod(exchange: Exchange): void {
  // A visitor may send the password form after the protection of the site has been removed.
  if (exchange.method === 'POST' && exchange.url === unlockPath) redirectIntoSite(exchange, '/')
  else sendPage(exchange, 'methodNotAllowed')
}
