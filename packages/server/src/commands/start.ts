// svcd start: runs the roles until a signal stops it.
import { execFile } from 'node:child_process'
import { parseArgs } from 'node:util'
import { withDashboard } from '../compose/stored-settings.ts'
import { type Role, type RunningPlatform, roles, startPlatform } from '../compose.ts'
import { notifySocket, readSettings, type Settings } from '../config.ts'
import { requireOwner } from '../data-owner.ts'
import { collectAtRest } from '../lib/collect-at-rest.ts'
import { forgetLoopBlocks } from '../lib/loop-blocks.ts'
import { createLog } from '../log.ts'
import { startWatchdog } from '../threads/watchdog.ts'
import { findPredecessor, leavePredecessor, type Successor, startSuccessor } from './hand-over.ts'
import { complain } from './output.ts'
import { completeReplacement, noteOutcome } from './replacement.ts'
import { apiAddress, healthAt, noteProcess } from './running-process.ts'
import { keepWayBack } from './way-back.ts'

const lastCallsMs = 1_000
/** How long a connection without a request stays open when svcd stops: the client may be sending one. */
const idleMs = 1_000

export async function start(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { role: { type: 'string' }, listen: { type: 'boolean' } } })
  const chosen = values.role?.split(',') ?? [...roles]
  const unknown = chosen.find(role => !(roles as readonly string[]).includes(role))
  if (unknown !== undefined) return complain(`Unknown role '${unknown}'. The roles are ${roles.join(', ')}.`)

  const given = readSettings()
  requireOwner(given)
  const settings = await withDashboard(given)
  const log = createLog(settings)
  // Signals are handled from here on, so that one that comes before the line `svcd ready` also stops the server cleanly.
  const stopping = new AbortController()
  const stopSignal = new Promise<NodeJS.Signals>(resolve => {
    for (const name of ['SIGTERM', 'SIGINT'] as const)
      process.on(name, () => {
        stopping.abort()
        resolve(name)
      })
  })
  let replace: () => void = () => undefined
  // A terminal that is closed sends the same signal.
  const hasTerminal = process.stdin.isTTY || process.stderr.isTTY
  if (!hasTerminal) process.on('SIGHUP', () => replace())
  // The process of a container ends with it, and that of a terminal keeps its prompt.
  const canRestart = !hasTerminal && process.pid !== 1
  // The log has the stack. What `main` prints has not.
  process.prependListener('uncaughtException', err => log.fatal({ err }, 'svcd ends because of a fault'))
  let platform: RunningPlatform
  try {
    const predecessor = findPredecessor()
    platform = await startPlatform(settings, {
      log,
      roles: chosen as Role[],
      listens: values.listen,
      predecessor,
      canRestart,
    })
  } catch (error) {
    leavePredecessor()
    return complain(startProblem(error, settings))
  }
  await forgetLoopBlocks(settings.dataDir)
  const { loopBlockMs: thresholdMs, dataDir } = settings
  const stopWatching = startWatchdog({ thresholdMs, dataDir, process: 'main', log })
  const stopCollecting = collectAtRest()
  const { port, tlsPort } = platform
  if (platform.listens) log.info({ host: settings.host, port, tlsPort }, 'listening')
  const lines = [`svcd ready: ${addresses(platform, chosen) || `${chosen.join(', ')} (no listener)`}`]
  if (platform.setupLink) lines.push(`Create the first account here (works once): ${platform.setupLink}`)
  process.stdout.write(`${lines.join('\n')}\n`)
  if (notifySocket()) tellSystemd(err => log.warn({ err }, 'systemd could not be told that svcd is ready'))

  const isApi = platform.listens && chosen.includes('api')
  const api = isApi ? apiAddress(platform.sockets?.http.host ?? settings.host, port) : undefined
  const forgetProcess = api && !hasTerminal ? noteProcess(settings, api) : undefined
  let wasHealthy = true
  const notReplaced = new AbortController()
  const replaced = new Promise<Successor>(resolve => {
    replace = onceAtATime(async () => {
      wasHealthy = api !== undefined && (await healthAt(api))?.isHealthy === true
      const limits = { signal: notReplaced.signal, withinMs: settings.replaceSeconds * 1000 }
      const successor = await startSuccessor(platform, log, limits)
      if (successor) resolve(successor)
      else noteOutcome(settings, 'kept')
    })
  })
  const { changes } = platform.platform.store
  const stopListening = changes.subscribe(change => {
    if (change.topic === 'setting' && change.key === 'restart' && canRestart) replace()
  })
  const failed = platform.failure?.catch((err: unknown) => ({ problem: startProblem(err, settings) }))
  const end = await Promise.race([
    stopSignal.then(signal => ({ signal })),
    replaced.then(successor => ({ successor })),
    ...(failed ? [failed] : []),
  ])
  stopListening()
  const successor = 'successor' in end ? end.successor : undefined
  const problem = 'problem' in end ? end.problem : undefined
  if (!successor) notReplaced.abort()
  if (successor) log.info({ replacedBy: successor.child.pid }, 'stopping')
  else if ('signal' in end) log.info(end, 'stopping')
  const wayBack = successor && keepWayBack(platform.sockets, args)
  await platform.stop(idleMs, { handsOver: successor !== undefined })
  void stopWatching()
  stopCollecting()
  let code = problem === undefined ? 0 : complain(problem)
  if (successor && wayBack) {
    const outcome = await completeReplacement(successor, {
      ...{ settings, log, wayBack, api, wasHealthy, stopping: stopping.signal },
    })
    noteOutcome(settings, outcome)
    if (outcome === 'failed' && !stopping.signal.aborted) code = 1
  }
  forgetProcess?.()
  // The process exits even if a call still hangs, such as one to a container engine that does not answer.
  setTimeout(() => process.exit(code), lastCallsMs).unref()
  return code
}

/** Ignores calls while one is under way. */
function onceAtATime(work: () => Promise<void>): () => void {
  let isUnderWay = false
  return async () => {
    if (isUnderWay) return
    isUnderWay = true
    await work()
    isUnderWay = false
  }
}

/** Node cannot send to systemd's socket, so a program of systemd does. */
function tellSystemd(onError: (error: Error) => void): void {
  execFile('systemd-notify', ['--ready'], error => error && onError(error))
}

/** Says which URLs these roles serve. */
function addresses({ urls, listens }: RunningPlatform, chosen: string[]): string {
  const served = [
    chosen.includes('api') && `API ${urls.api} · dashboard ${urls.dashboard}`,
    chosen.includes('edge') && `sites ${urls.site('<project>')}`,
  ].filter(Boolean)
  if (served.length > 0) return served.join(' · ')
  return listens ? `${chosen.join(', ')} · health ${urls.api}/health` : ''
}

function startProblem(error: unknown, { port, tlsPort }: Settings): string {
  const { code, syscall, message, port: failed } = error as NodeJS.ErrnoException & { port?: number }
  const setting =
    tlsPort !== undefined && failed === tlsPort ? `SVCD_TLS_PORT ${tlsPort}` : `SVCD_PORT ${port}`
  if (code === 'EADDRINUSE') return `${setting} is in use by another program. Stop it, or set another port.`
  if (code === 'EACCES' && (syscall === 'listen' || syscall === 'bind'))
    return `${setting} may not be opened by this user. Choose one above 1023. (${message})`
  return `cannot start: ${message}`
}
