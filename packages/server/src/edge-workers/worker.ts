// An edge worker: a process that serves sites and relays all other requests to the main process.
import { startPlatform } from '../compose.ts'
import { readSettings } from '../config.ts'
import { createLog } from '../log.ts'
import { startWatchdog } from '../threads/watchdog.ts'
import { linkToMain } from './main-link.ts'
import { mainSocket } from './relay.ts'

const settings = readSettings()
const id = Number(process.argv[2])
const log = createLog(settings).child({ edge: id })
let stopping = false
let stopWatching: (() => Promise<void>) | undefined
let running: Awaited<ReturnType<typeof startPlatform>> | undefined
const link = linkToMain(mainSocket(settings, process.ppid), idleMs => void stop(idleMs))

// Ctrl-C in a terminal signals all processes. A worker waits for the main process to tell it to stop.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => void stop(0))
// The main process may have been killed before this line.
process.on('disconnect', () => process.exit(1))
if (!process.connected) process.exit(1)

async function stop(idleMs: number): Promise<void> {
  if (stopping) return
  stopping = true
  await running?.stop(idleMs)
  await stopWatching?.()
  process.exit(0)
}

try {
  running = await startPlatform(settings, { log, roles: ['edge'], link })
  const { loopBlockMs: thresholdMs, dataDir } = settings
  stopWatching = startWatchdog({ thresholdMs, dataDir, process: `edge-${id}`, log })
  link.send({ kind: 'ready' })
  // The main process fails in the same way, and says why.
  running.failure?.catch(() => process.exit(1))
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException
  link.send({ kind: 'failed', message, code })
  process.exitCode = 1
  process.disconnect?.()
}
