// Starts the platform. Only this file and the folder `compose/` choose adapters and connect the roles.
import { setTimeout as sleep } from 'node:timers/promises'
import { answerRequests } from './compose/answering.ts'
import { type Opened, openPlatform } from './compose/opening.ts'
import { runRoles } from './compose/role-work.ts'
import { type PlatformStart, roles, type StartOptions } from './compose/start-options.ts'
import { type StopOptions, Stops } from './compose/stops.ts'
import type { Settings } from './config.ts'
import type { Platform } from './core/base/platform.ts'
import type { Urls } from './core/base/urls.ts'
import { setupNeeded } from './core/identity/accounts.ts'
import { checkHealth } from './core/platform/health.ts'
import { startCrons } from './jobs/crons.ts'
import { systemClock } from './lib/clock.ts'
import type { Sockets } from './listener.ts'

export { type Predecessor, type Role, roles } from './compose/start-options.ts'

export interface RunningPlatform {
  readonly urls: Urls
  /** The port of the listener. Without a listener, the port from the settings, because URLs contain it. */
  readonly port: number
  /** Whether this process listens. */
  readonly listens: boolean
  /** The port of the HTTPS listener, if there is one. */
  readonly tlsPort: number | undefined
  readonly platform: Platform
  /** The URL for creating the first account. `undefined` if there is one already. */
  readonly setupLink: string | undefined
  /** Rejects if the database did not answer at the start, and this node cannot use it when it does. */
  readonly failure: Promise<never> | undefined
  /** The sockets of the listener, for the svcd that takes the place of this one. */
  readonly sockets: Sockets | undefined
  /** Connections without a request are closed after `idleMs` (default: 0), since the client may be sending one. */
  stop(idleMs?: number, options?: StopOptions): Promise<void>
}

const healthyWithinMs = 30_000
const healthPauseMs = 200

export async function startPlatform(settings: Settings, options: StartOptions): Promise<RunningPlatform> {
  const stops = new Stops()
  const { clock = systemClock, roles: chosen = roles } = options
  const start: PlatformStart = { ...options, settings, clock, stops, has: role => chosen.includes(role) }
  try {
    const opened = await openPlatform(start)
    await takePart(start, opened, chosen)
    return await running(start, opened)
  } catch (error) {
    await stops.stopAll()
    throw error
  }
}

/** Works, answers requests, and joins the other nodes, in the order that loses no request and does no work twice. */
async function takePart(start: PlatformStart, opened: Opened, chosen: readonly string[]): Promise<void> {
  const { link, log, stops, has } = start
  const { platform, apps, nodes, lateStart, succession } = opened
  const [work, crons] = [new Stops(), new Stops()]
  const beginWork = () => runRoles(start, opened, work)
  // Apps of this node answer their last requests before other nodes lose their connections to them.
  stops.add(() => nodes?.close())
  stops.add(work.stopAll)
  if (!lateStart && !succession.isAwaited) await beginWork()
  // From here on this svcd takes requests. If it has migrated, the version before it cannot come back without losing what they change.
  if (succession.hadFormer && !succession.isAwaited) await untilHealthy(platform)
  const served = await answerRequests(start, opened)
  if (succession.isAwaited) {
    await succession.takeOver('serving')
    await beginWork()
  }
  const join = async () => {
    if (!link) await nodes?.join(served, chosen)
  }
  stops.add(() => nodes?.leave())
  if (!lateStart) await join()
  stops.add(() => apps.stopStarts())
  stops.add(crons.stopAll)
  const beginCrons = () => {
    if (has('worker')) crons.add(startCrons(platform, log).stop)
  }
  if (!lateStart) beginCrons()
  lateStart?.whenAnswered(async () => {
    await beginWork()
    await join()
  }, beginCrons)
  // Nothing begins any more while the rest stops.
  stops.add(() => lateStart?.stop())
}

/** A single check may fail only because the machine is busy. */
async function untilHealthy(platform: Platform): Promise<void> {
  for (const deadline = Date.now() + healthyWithinMs; ; await sleep(healthPauseMs))
    try {
      return await checkHealth(platform)
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
}

async function running({ stops, has }: PlatformStart, opened: Opened): Promise<RunningPlatform> {
  const { platform, port, listening, lateStart } = opened
  const offersSetup = !lateStart && has('api') && (await setupNeeded(platform))
  return {
    urls: platform.urls,
    port,
    listens: listening !== undefined,
    tlsPort: listening?.listener.tlsPort,
    platform,
    setupLink: offersSetup
      ? `${platform.urls.dashboard}/setup#token=${platform.setupToken.reveal()}`
      : undefined,
    sockets: listening?.sockets,
    failure: lateStart?.failure,
    stop: stops.stopAll,
  }
}
