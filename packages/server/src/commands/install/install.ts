// svcd install: makes this machine a server of svcd, from nothing to a running service. Run again, it repairs.
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { withPlatform } from '../../compose/command-platform.ts'
import { installedConfig, readSettings } from '../../config.ts'
import { setupNeeded } from '../../core/identity/accounts.ts'
import { Fault } from '../../lib/fault.ts'
import { programAt } from '../../ports/app-runtime/programs.ts'
import { placeProgram } from '../upgrade/versions.ts'
import { writeSettingsFile } from './settings-file.ts'
import { dnsProblems, ensureUser, installPackages, requireFreePort, run, succeeds } from './system.ts'
import { socketFile, socketName, socketUnitOf, unitFile, unitName, unitOf } from './unit.ts'
import { untilCertificate, untilHealthy } from './until-ready.ts'

const user = 'svcd'

const options = {
  domain: { type: 'string' },
  email: { type: 'string' },
  'data-dir': { type: 'string' },
} as const

interface Answers {
  domain: string
  email: string
  dataDir: string
}

export async function install(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options })
  requireSystem()
  const before = existsSync(installedConfig) ? readSettings({ SVCD_CONFIG: installedConfig }) : undefined
  const answers = await askFor({
    domain: values.domain ?? before?.platformDomain,
    email: values.email ?? before?.acmeEmail,
    dataDir: values['data-dir'] ?? before?.dataDir ?? '/var/lib/svcd',
  })
  // Settings that are wrong are refused before anything is changed.
  const chosen = settingsOf(answers, existsSync(installedConfig))
  const checked = readSettings({ ...(before ? { SVCD_CONFIG: installedConfig } : {}), ...chosen })

  const installed = await installPackages()
  if (installed.length > 0) tell(`Installed ${installed.join(', ')}.`)
  const owner = await ensureUser(user, answers.dataDir)
  requireOwnDirectory(answers.dataDir, owner)
  mkdirSync(answers.dataDir, { recursive: true, mode: 0o700 })
  chownSync(answers.dataDir, owner.uid, owner.gid)
  for (const problem of await dnsProblems(answers.domain)) tell(`DNS: ${problem}`)
  const isActive = (unit: string) => succeeds('systemctl', 'is-active', '--quiet', unit)
  const hasSockets = await isActive(socketName)
  if (!hasSockets && !(await isActive(unitName)))
    for (const port of [checked.port, checked.tlsPort]) if (port) await requireFreePort(port)
  writeSettingsFile(installedConfig, chosen, owner)
  tell(`Wrote ${installedConfig}.`)
  const command = [process.execPath, placeProgram(), 'start']
  mkdirSync(path.dirname(unitFile), { recursive: true })
  writeFileSync(unitFile, unitOf({ user, dataDir: answers.dataDir, configFile: installedConfig, command }), {
    mode: 0o644,
  })
  const sockets = socketUnitOf(checked)
  const keepsSockets = hasSockets && existsSync(socketFile) && readFileSync(socketFile, 'utf8') === sockets
  writeFileSync(socketFile, sockets, { mode: 0o644 })
  tell(`Wrote ${unitFile} and ${socketFile}.`)
  await run('systemctl', 'daemon-reload')
  await run('systemctl', 'enable', socketName, unitName)
  tell('Starting svcd …')
  // Systemd opens no socket while the service has it.
  if (!keepsSockets) {
    await run('systemctl', 'stop', socketName, unitName)
    await run('systemctl', 'start', socketName)
  }
  await run('systemctl', 'restart', unitName)
  await untilHealthy(checked)
  await untilCertificate(checked, tell)
  return await showLink()
}

/** Sets what the operator was asked for. The rest is set once, and the operator may change it. */
function settingsOf({ domain, email, dataDir }: Answers, isInstalled: boolean): Record<string, string> {
  const asked = { SVCD_PLATFORM_DOMAIN: domain, SVCD_ACME_EMAIL: email, SVCD_DATA_DIR: dataDir }
  if (isInstalled) return asked
  return {
    ...asked,
    SVCD_HOST: '0.0.0.0',
    SVCD_PORT: '80',
    SVCD_TLS_PORT: '443',
  }
}

/** A directory of another user with something in it, such as / or /etc, is hardly meant. */
function requireOwnDirectory(dataDir: string, { uid }: { uid: number }): void {
  const stat = statSync(dataDir, { throwIfNoEntry: false })
  if (!stat || stat.uid === uid || readdirSync(dataDir).every(name => name === 'lost+found')) return
  throw new Fault(
    'invalid_request',
    `${dataDir} is not empty, and belongs to another user than ${user}. Name an empty directory with --data-dir. If it holds the data of svcd, give it to the service first: chown -R ${user}: ${dataDir}`,
  )
}

function requireSystem(): void {
  if (process.platform !== 'linux' || !programAt('systemctl'))
    throw new Fault(
      'unavailable',
      "'svcd install' needs Linux with systemd. Elsewhere run 'svcd start', or use compose.yaml; docs/server.md shows both.",
    )
  if (process.getuid?.() !== 0)
    throw new Fault('forbidden', "'svcd install' changes the system. Run it as root: sudo svcd install")
}

/** Asks on a terminal for what was not given. */
async function askFor(given: {
  domain: string | undefined
  email: string | undefined
  dataDir: string
}): Promise<Answers> {
  const questions = [
    ['domain', '--domain', 'Domain of the platform, such as example.com'],
    ['email', '--email', 'Email address for the certificate authority'],
  ] as const
  const answers = { ...given }
  for (const [name, flag, question] of questions) {
    if (answers[name]) continue
    if (!process.stdin.isTTY) throw new Fault('invalid_request', `${flag} is missing. ${question}.`)
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    answers[name] = (await terminal.question(`${question}: `)).trim()
    terminal.close()
    if (!answers[name]) throw new Fault('invalid_request', `${flag} is missing. ${question}.`)
  }
  return answers as Answers
}

async function showLink(): Promise<number> {
  await withPlatform(
    async platform => {
      if (await setupNeeded(platform))
        process.stdout.write(
          `Create the first account here (works once): ${platform.urls.dashboard}/setup#token=${platform.setupToken.reveal()}\n`,
        )
      else process.stdout.write(`svcd runs: ${platform.urls.dashboard}\n`)
    },
    readSettings({ SVCD_CONFIG: installedConfig }),
  )
  return 0
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}
