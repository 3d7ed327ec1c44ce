// svcd upgrade: installs a release beside the version that runs, lets the running svcd pass its place to it, and goes back if the
// new version does not become healthy.
import { rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readSettings, type Settings } from '../../config.ts'
import { dataPaths, requireDataDirectory } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { isLiving } from '../../lib/processes.ts'
import { readForeignFile } from '../../lib/read-foreign-file.ts'
import { complain, show } from '../output.ts'
import { isOutcome, type Outcome, outcomeFile } from '../replacement.ts'
import { healthAt, runningProcess } from '../running-process.ts'
import { bringRelease } from './release.ts'
import { unpackRelease } from './unpack.ts'
import { installedVersions, type Versions } from './versions.ts'

const pauseMs = 100

export async function upgrade(args: string[]): Promise<number> {
  const [source, extra] = parseArgs({ args, allowPositionals: true }).positionals
  if (!source || extra !== undefined) return complain('Usage: svcd upgrade <file, URL or version>')
  const settings = readSettings()
  const versions = installedVersions()
  requireDataDirectory(settings)
  const unlock = versions.lock()
  try {
    return await upgradeTo(source, settings, versions)
  } finally {
    unlock()
  }
}

async function upgradeTo(source: string, settings: Settings, versions: Versions): Promise<number> {
  const running = requireRunning(settings)
  const healthBefore = await healthAt(running.api)
  if (!healthBefore?.isHealthy)
    throw new Fault(
      'unavailable',
      "The running svcd is not healthy, so it could not be told whether the new one is. 'svcd doctor' says what is wrong.",
    )
  // After an upgrade that was killed, the link may lead to another version than the one that runs.
  const before = versions.has(healthBefore.version) ? healthBefore.version : versions.current
  const version = await installBeside(source, settings, versions, before)
  tell(copyWords(settings))
  tell(`Starting svcd ${version} …`)
  // From here on the link and the running version must go together, also if the terminal is closed.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  versions.switchTo(version)
  const outcome = await replace(settings, running.pid)
  const health = await healthAt(running.api)
  if (outcome === 'replaced' && health?.version === version) {
    versions.keepOnly([version, before])
    return show(`svcd ${version} runs. The version before it, ${before}, stays in ${versions.dir}.\n`)
  }
  // Without a svcd that runs, the next start continues with the version that the database belongs to.
  if (before !== undefined && outcome !== 'failed') versions.switchTo(before)
  return complain(problemWords(outcome, { version, running: health?.version }))
}

function requireRunning(settings: Settings) {
  const running = runningProcess(settings)
  if (running) return running
  throw new Fault(
    'unavailable',
    `No svcd that can be replaced runs on ${settings.dataDir}. Start it first (systemctl start svcd), not in a terminal. If it cannot start, install.sh installs the new version without it.`,
  )
}

async function installBeside(
  source: string,
  settings: Settings,
  versions: Versions,
  running: string | undefined,
): Promise<string> {
  const work = versions.folderOf(`.upgrade-${process.pid}`)
  await mkdir(work)
  try {
    const { file, isSigned } = await bringRelease(source, settings, work)
    tell(`${path.basename(file)}: the checksum ${isSigned ? 'and the signature are' : 'is'} right.`)
    const version = await unpackRelease(versions, file, running)
    tell(`Installed svcd ${version} in ${versions.folderOf(version)}.`)
    return version
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Lets the running svcd start the current version in its place. Resolves when one of them is healthy. */
async function replace(settings: Settings, pid: number): Promise<Outcome> {
  const file = outcomeFile(settings)
  rmSync(file, { force: true })
  process.kill(pid, 'SIGHUP')
  for (;;) {
    // The process says how it went before it ends.
    const wasLiving = isLiving(pid)
    const said = readForeignFile(file, 64)?.trim()
    if (isOutcome(said)) return said
    if (!wasLiving) return 'failed'
    await sleep(pauseMs)
  }
}

const copyWords = (settings: Settings): string =>
  settings.databaseUrl
    ? 'The database is PostgreSQL: its migrations are one transaction, so one that fails changes nothing. There is no copy of it.'
    : `If there are migrations, the database is copied to ${dataPaths(settings).upgradeDir} first.`

/** What happened, and which version runs now. */
function problemWords(
  outcome: Outcome,
  { version, running }: { version: string; running: string | undefined },
): string {
  const log = "Its log says why: 'journalctl -u svcd', or where the output of svcd goes."
  const words: Record<Outcome, string> = {
    kept: `svcd ${version} could not start. svcd ${running} runs on as before. ${log}`,
    restored: `svcd ${version} did not become healthy. svcd ${running} runs again, with the database from before. ${log}`,
    replaced: `svcd was replaced, but ${running} runs and not ${version}: the service does not start the link 'current'. Run 'svcd install' to write its unit again.`,
    failed: `svcd ${version} did not become healthy, and the version before could not start again. ${log} docs/troubleshooting.md says how to go back by hand.`,
  }
  return words[outcome]
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}
