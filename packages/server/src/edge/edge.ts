// Serves sites: host → site → gate → deployment → file or app.
import { sharePath } from '../core/access/guard.ts'
import { cameByHttps } from '../lib/client-address.ts'
import type { Peer } from '../lib/received.ts'
import { AppSource } from './app-source.ts'
import { AppCache } from './cache/app-cache.ts'
import { EarlierFiles } from './earlier-files.ts'
import { defaultSettings, type EdgeParts } from './edge-parts.ts'
import { preferenceOf } from './encodings.ts'
import type { Exchange } from './exchange.ts'
import { type Choice, Files } from './files.ts'
import { noForms } from './forms/forms.ts'
import { redirectIntoSite } from './gate/answers.ts'
import { PathPasswords } from './gate/path-passwords.ts'
import { unlockPath } from './gate/unlock-page.ts'
import { type Destination, hostname, type SiteDestination } from './hosts.ts'
import { type HotFile, HotFiles, type KnownFile, type StoredFile } from './hot-files.ts'
import { countHot } from './hot-source.ts'
import type { AppAnswer, Head, HotAnswer, HotRequest } from './lanes/lanes.ts'
import { OpenPacks } from './open-packs.ts'
import { sendPage, sendRedirect, sendSuspended } from './pages.ts'
import type { LaneTarget } from './proxy/lane-target.ts'
import { AppProxy } from './proxy/proxy.ts'
import { redirectToHost } from './redirects.ts'
import type { Route } from './route.ts'
import { type Found, type Guarded, type Open, Sites } from './sites.ts'
import { isPlatformPath } from './targets.ts'
import type { Upgrade } from './upgrades.ts'

export interface Edge {
  /** Answers a request to a site or to an unknown host. */
  handle(exchange: Exchange): void
  /** Passes an upgrade request to the app, or declines it. */
  upgrade(exchange: Exchange, upgrade: Upgrade): void
  /** Returns the file that answers the request, if the file is in memory and its site is not protected. */
  findHot(request: HotRequest, destination: Destination): HotFile | undefined
  /** The same for a file that was sent before, and is too large for the memory. */
  findStored(request: HotRequest, destination: Destination): StoredFile | undefined
  /** Writes what a lane answered to the access log. */
  countHot(file: KnownFile, request: HotRequest, answer: HotAnswer, peer: Peer): void
  /** Returns where a passable request goes, if a lane may pass it to the app of its site. */
  findApp(head: Head, destination: Destination, peer: Peer): LaneTarget | undefined
  /** Writes an answer that a lane passed on from an app to the access log. */
  countApp(target: LaneTarget, head: Head, answer: AppAnswer, peer: Peer): void
  /** Whether a lane may answer HTTP/2 requests for the destination. Returns a promise if the site must be read first. */
  mayUseLane(destination: Destination): boolean | Promise<boolean>
  /** The names of the projects and domains in memory. */
  readonly known: Sites['known']
  close(): void
}

/** The edge of a process that serves no sites. It answers every request as one to an unknown host. */
export const closedEdge: Edge = {
  handle: exchange => sendPage(exchange, 'unknownHost'),
  upgrade: (_exchange, upgrade) => upgrade.decline(),
  findHot: () => undefined,
  findStored: () => undefined,
  countHot: () => undefined,
  findApp: () => undefined,
  countApp: () => undefined,
  mayUseLane: () => false,
  known: { projects: [], domains: [] },
  close: () => undefined,
}

export function createEdge(parts: EdgeParts): Edge {
  const { sites: reader, changes, packs, clock, gate, forms = noForms, onError, settings } = parts
  const { memoryBytes, memoryFileBytes, indexBytes, openPacks, skewMs, cacheBytes, ...others } = {
    ...defaultSettings,
    ...settings,
  }
  const { sitesInMemory, appTimeouts, appConcurrency } = others
  const cameSecurely = cameByHttps(parts.isTrusted)
  const sites = new Sites(reader, changes, clock, { atMost: sitesInMemory, kept: parts.keptSites })
  const open = new OpenPacks(packs, { indexBytes, count: openPacks }, onError)
  const passwords = new PathPasswords({ isScheduled: async () => false, ...parts })
  const earlier = new EarlierFiles({ reader, packs: open, skewMs, clock, onError })
  const files = new Files({
    hot: new HotFiles(memoryBytes, memoryFileBytes),
    packs: open,
    earlier,
    passwords,
    clock,
    onError,
  })
  const proxy = new AppProxy({ ...parts, timeouts: appTimeouts, limits: appConcurrency })
  const cache = new AppCache({ ...parts, proxy, bytes: cacheBytes })
  const apps = new AppSource({ ...parts, files, cache, proxy })

  /** The route of a site without protection that is in memory. */
  function liveRoute(destination: Destination): Route | undefined {
    const found = isSite(destination) ? sites.peek(destination) : undefined
    return found?.state === 'live' ? found.route : undefined
  }

  /** Sends a 503 page if `work` fails. If the answer has already begun, aborts it instead. */
  function sendPageOnFailure(exchange: Exchange, work: Promise<void>): void {
    work.catch(error => {
      onError(error, exchange)
      if (exchange.res.headersSent) exchange.res.destroy()
      else sendPage(exchange, 'unavailable')
    })
  }

  function serveSite(exchange: Exchange, found: Found): void {
    if (found.state !== 'unknown' && !parts.isForPicture?.(exchange)) exchange.logTo(parts, found.projectId)
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
      const route = liveRoute(destination)
      return route && files.findHot(route, ...askedBy(request))
    },
    findStored(request, destination) {
      const route = liveRoute(destination)
      return route && files.findStored(route, ...askedBy(request))
    },
    findApp(head, destination, peer) {
      const route = liveRoute(destination)
      return route && apps.find(head, route, peer)
    },
    countApp: (target, head, answer, peer) => apps.count(target, head, answer, peer),
    mayUseLane(destination) {
      if (!isSite(destination)) return false
      const found = sites.peek(destination)
      return found === undefined ? sites.find(destination).then(isPublic) : isPublic(found)
    },
    get known() {
      return sites.known
    },
    countHot: (file, request, answer, peer) => countHot(parts, file, request, answer, peer),
    close() {
      sites.close()
      open.close()
      cache.close()
      proxy.close()
    },
  }
}

/** A site of files, or an app whose requests the lanes may pass on. */
const isPublic = (found: Found): boolean =>
  found.state === 'live' && (found.route.deployment.kind === 'static' || !found.route.noindex)

/** What decides which file answers: the encodings that the client takes, the URL, and the host. */
const askedBy = ({ acceptEncoding, target, host }: HotRequest) =>
  [preferenceOf(acceptEncoding), target, () => hostname(host) ?? ''] as const

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
