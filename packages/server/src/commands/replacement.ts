// The end of a svcd that another one replaces: it stays until the new one is healthy, and otherwise brings its own version back,
// with the database that it had.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { dataPaths } from '../data-directory.ts'
import { replaceFile } from '../lib/replace-file.ts'
import { copyBeforeMigration, restoreCopy } from '../store/sqlite/copy-before.ts'
import { type Successor, tellSystemdOf } from './hand-over.ts'
import { type ApiAddress, healthAt } from './running-process.ts'
import type { WayBack } from './way-back.ts'

/** `kept`: this svcd goes on. `restored`: another one of its version runs. `failed`: none does. */
export type Outcome = (typeof outcomes)[number]

const outcomes = ['replaced', 'kept', 'restored', 'failed'] as const

export const isOutcome = (text: string | undefined): text is Outcome => outcomes.some(it => it === text)

/** Where the outcome stands, for `svcd upgrade`. */
export const outcomeFile = ({ dataDir }: Pick<Settings, 'dataDir'>): string =>
  path.join(dataDir, 'replacement')

export const noteOutcome = (settings: Settings, outcome: Outcome): void =>
  replaceFile(outcomeFile(settings), `${outcome}\n`)

interface Surroundings {
  settings: Settings
  log: Logger
  wayBack: WayBack
  /** Where the API answers. `undefined` if this svcd has none. */
  api: ApiAddress | undefined
  /** Whether this svcd was healthy. If it was not, the new one need only answer. */
  wasHealthy: boolean
  /** Aborted if svcd is to stop. */
  stopping: AbortSignal
}

const pauseMs = 100

/** Lets the successor go on. This svcd has stopped everything, and has closed its database. */
export async function completeReplacement(
  { child, migrates }: Successor,
  surroundings: Surroundings,
): Promise<Outcome> {
  const { settings, log, wayBack, stopping } = surroundings
  const hasCopy = migrates && !settings.databaseUrl
  let isReleased = false
  try {
    if (hasCopy) log.info({ copy: copyBeforeMigration(dataPaths(settings)) }, 'copied the database')
    // The successor waits for this.
    child.disconnect()
    isReleased = true
  } catch (err) {
    log.error({ err }, 'the database could not be copied before its migration')
  }
  if (isReleased && (await becomesHealthy(child, surroundings))) {
    wayBack.close()
    await tellSystemdOf(child, log)
    child.unref()
    return 'replaced'
  }
  if (stopping.aborted) wayBack.close()
  await endOf(child, stopping.aborted ? 'SIGTERM' : 'SIGKILL')
  if (stopping.aborted) return 'failed'
  log.error('the new svcd did not become healthy, so the version before it starts again; see its message')
  if (hasCopy && isReleased) {
    const replaced = await restoreCopy(dataPaths(settings))
    log.warn({ replaced }, 'the database is as it was before its migration')
  }
  const restored = wayBack.take()
  const isBack = await becomesHealthy(restored, surroundings)
  if (isBack) await tellSystemdOf(restored, log)
  else await endOf(restored, 'SIGKILL')
  return isBack ? 'restored' : 'failed'
}

/** Resolves to false if the process ends, takes too long, or svcd is to stop. */
async function becomesHealthy(
  child: ChildProcess,
  { settings, api, wasHealthy, stopping }: Surroundings,
): Promise<boolean> {
  const deadline = Date.now() + settings.replaceSeconds * 1000
  while (isAlive(child) && !stopping.aborted && Date.now() < deadline) {
    const health = api ? await healthAt(api) : { isHealthy: true }
    if (health?.isHealthy || (health && !wasHealthy)) return isAlive(child)
    await sleep(pauseMs)
  }
  return false
}

const isAlive = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(child)) return
  const end = once(child, 'exit')
  child.kill(signal)
  await end
}
