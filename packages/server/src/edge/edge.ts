// Serves sites: host → site → gate → deployment → file or app.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Apps } from '../core/apps/reach.ts'
import type { IsScheduled } from '../core/crons/signature.ts'
import type { SiteReader } from '../core/sites.ts'
import type { AccessLog } from '../core/stats/access.ts'
import type { Clock } from '../lib/clock.ts'
import type { Changes } from '../ports/changes/port.ts'
import type { Packs } from '../ports/packs/port.ts'
import { AppCache } from './cache/app-cache.ts'
import { preferenceOf } from './encodings.ts'
import { Files } from './files.ts'
import { type Forms, noForms } from './forms/forms.ts'
import { sendBack } from './gate/answers.ts'
import type { Gate } from './gate/gate.ts'
import { PathPasswords } from './gate/path-passwords.ts'
import { unlockPath } from './gate/unlock-page.ts'
import { type Destination, hostname, type SiteDestination } from './hosts.ts'
import { type HotFile, HotFiles } from './hot-files.ts'
import { OpenPacks } from './open-packs.ts'
import { sendPage } from './pages.ts'
import type { PlainGet } from './plain-get.ts'
import { AppProxy } from './proxy/proxy.ts'
import type { Crowd, Patience } from './proxy/upstream.ts'
import type { Route } from './route.ts'
import { type Found, type Guarded, type Open, Sites } from './sites.ts'
import { readTarget } from './targets.ts'
import type { Upgrade } from './upgrades.ts'
import { type Peer, tellHot, watch, watchUpgrade } from './watch.ts'

export interface EdgeParts {
  sites: SiteReader
  changes: Changes
  packs: Packs
  clock: Clock
  gate: Gate
  /** Whether a request is one of the project's own scheduled jobs. */
  isScheduled?: IsScheduled
  forms?: Forms
  /** Told of every answer of a site. */
  log: AccessLog
  apps: Apps
  /** Told how many stored answers were dropped at the change of a key. */
  onEvicted?(key: string, count: number): void
  /** Told of keys whose stored answers visitors' requests made worthless. */
  onInvalidated?(key: string): void
  /** Whose X-Forwarded-* headers are believed. */
  isTrusted(address: string): boolean
  /** Told of failures that visitors see as 503, or as an answer that breaks off. */
  onError: (error: unknown) => void
  settings?: Partial<EdgeSettings>
}

export interface EdgeSettings {
  /** Memory for hot files. */
  memoryBytes: number
  /** Memory for the indexes of open packs. */
  indexBytes: number
  /** Packs open at a time. */
  openPacks: number
  /** Memory for answers of server apps. */
  cacheBytes: number
  /** How long server apps may take. */
  patience: Patience
  /** How many requests may be under way to server apps. */
  crowd: Crowd
}

const MB = 1024 * 1024
const defaults: EdgeSettings = {
  memoryBytes: 64 * MB,
  indexBytes: 16 * MB,
  openPacks: 256,
  cacheBytes: 64 * MB,
  patience: { answer: 60_000, silence: 300_000 },
  crowd: { perApp: 1_000, inAll: 10_000 },
}

export interface Edge {
  /** Answers a request to a site, or to a host that nobody has. */
  handle(req: IncomingMessage, res: ServerResponse, destination: Destination): void
  /** Passes a request for another protocol to the app that it is for, or declines it. */
  upgrade(req: IncomingMessage, upgrade: Upgrade, destination: Destination): void
  /** The file that answers a plain GET whole and at once, if it is at hand. */
  findHot(request: PlainGet, destination: Destination, from: Peer): HotFile | undefined
  close(): void
}

/** For nodes that serve no sites. */
export const closedEdge: Edge = {
  handle: (req, res) => sendPage(req, res, 'unknownHost'),
  upgrade: (_req, upgrade) => upgrade.decline(),
  findHot: () => undefined,
  close: () => undefined,
}

export function createEdge(parts: EdgeParts): Edge {
  const { sites: reader, changes, packs, clock, gate, forms = noForms, onError, settings } = parts
  const { memoryBytes, indexBytes, openPacks, cacheBytes, patience, crowd } = { ...defaults, ...settings }
  const sites = new Sites(reader, changes, clock)
  const open = new OpenPacks(packs, { indexBytes, count: openPacks }, onError)
  const passwords = new PathPasswords({ isScheduled: async () => false, ...parts })
  const files = new Files({ hot: new HotFiles(memoryBytes), packs: open, passwords, clock, onError })
  const proxy = new AppProxy({ ...parts, patience, crowd })
  const cache = new AppCache({ ...parts, proxy, bytes: cacheBytes })

  function serve(req: IncomingMessage, res: ServerResponse, found: Found) {
    if (found.state !== 'unknown') watch(parts, found.projectId, req, res)
    if (found.state === 'guarded') serveGuarded(req, res, found)
    else show(req, res, found)
  }

  async function serveGuarded(
    req: IncomingMessage,
    res: ServerResponse,
    { guard, behind }: Guarded,
  ): Promise<void> {
    try {
      if (await gate.admits(req, res, guard)) show(req, res, behind)
    } catch (error) {
      onError(error)
      if (res.headersSent) res.destroy()
      else sendPage(req, res, 'unavailable')
    }
  }

  function show(req: IncomingMessage, res: ServerResponse, found: Open) {
    if (found.state === 'unknown') return sendPage(req, res, 'unknownHost')
    if (found.state === 'empty') return sendPage(req, res, 'noDeployment')
    const { route } = found
    const isServer = route.deployment.kind === 'server'
    const isReading = req.method === 'GET' || req.method === 'HEAD'
    if (!isReading && route.isOpen) take(req, res, route)
    else if (!isReading) admitAndTake(req, res, route)
    else if (!isServer) files.serve(req, res, route)
    else if (isPlatforms(req)) refusePlatforms(req, res)
    else files.serve(req, res, route, admitted => toApp(req, res, admitted))
  }

  function toApp(req: IncomingMessage, res: ServerResponse, route: Route) {
    cache.serve(req, res, route).catch(error => {
      onError(error)
      res.destroy()
    })
  }

  async function admitAndTake(req: IncomingMessage, res: ServerResponse, route: Route): Promise<void> {
    try {
      const admitted = await files.admit(req, res, route)
      if (admitted !== undefined) take(req, res, admitted)
    } catch (error) {
      onError(error)
      if (res.headersSent) res.destroy()
      else sendPage(req, res, 'unavailable')
    }
  }

  /** A request that is not about reading: for a form, the app, or nobody. */
  function take(req: IncomingMessage, res: ServerResponse, route: Route) {
    if (forms.take(req, res, route.projectId)) return
    if (route.deployment.kind !== 'server') refuseMethod(req, res)
    else if (isPlatforms(req)) refusePlatforms(req, res)
    else toApp(req, res, route)
  }

  /** Only apps speak other protocols; all other sites answer in HTTP. */
  async function passUpgrade(
    req: IncomingMessage,
    upgrade: Upgrade,
    destination: SiteDestination,
  ): Promise<void> {
    const found = sites.peek(destination) ?? (await sites.find(destination))
    const open = found.state === 'guarded' ? found.behind : found
    if (open.state !== 'live' || open.route.deployment.kind !== 'server' || isPlatforms(req))
      return upgrade.decline()
    watchUpgrade(parts, open.projectId, req, upgrade.res)
    const admitted = found.state !== 'guarded' || (await gate.admits(req, upgrade.res, found.guard))
    const route = admitted ? await files.admit(req, upgrade.res, open.route) : undefined
    if (route !== undefined) await proxy.serve(req, upgrade.res, route, { upgrade })
  }

  async function findAndServe(
    req: IncomingMessage,
    res: ServerResponse,
    destination: SiteDestination,
  ): Promise<void> {
    try {
      serve(req, res, await sites.find(destination))
    } catch (error) {
      onError(error)
      sendPage(req, res, 'unavailable')
    }
  }

  return {
    handle(req, res, destination) {
      if (!isSite(destination)) {
        sendPage(req, res, 'unknownHost')
        return
      }
      const found = sites.peek(destination)
      if (found === undefined) findAndServe(req, res, destination)
      else serve(req, res, found)
    },
    upgrade(req, upgrade, destination) {
      if (!isSite(destination)) return upgrade.decline()
      passUpgrade(req, upgrade, destination).catch(error => {
        onError(error)
        upgrade.socket.destroy()
      })
    },
    findHot(request, destination, from) {
      const found = isSite(destination) ? sites.peek(destination) : undefined
      if (found?.state !== 'live') return undefined
      const name = () => hostname(request.host) ?? ''
      const hot = files.hot(found.route, preferenceOf(request.acceptEncoding), request.target, name)
      if (hot !== undefined) tellHot(parts, found.projectId, request, hot, from)
      return hot
    },
    close() {
      sites.close()
      open.close()
      cache.close()
      proxy.close()
    },
  }
}

const isSite = (destination: Destination): destination is SiteDestination =>
  destination.to === 'site' || destination.to === 'domain'

/** Addresses that no app gets to see. */
const isPlatforms = ({ url }: IncomingMessage): boolean =>
  readTarget(url!)?.path.startsWith('/_svc/') ?? false

function refusePlatforms(req: IncomingMessage, res: ServerResponse): void {
  if (req.method === 'POST') refuseMethod(req, res)
  else sendPage(req, res, 'missing')
}

function refuseMethod(req: IncomingMessage, res: ServerResponse): void {
  // The site asked for a password when the visitor opened it, and no longer does.
  if (req.method === 'POST' && req.url === unlockPath) sendBack(res, '/')
  else sendPage(req, res, 'methodNotAllowed')
}
