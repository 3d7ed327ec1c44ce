// Programs of the system that tests and measurements need: found, installed where that is possible, or asked for.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StepFailed, step } from './step.mjs'

export const tools = {
  chromium: {
    commands: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    places: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    variable: 'CHROME_PATH',
  },
  'chromium-headless-shell': { commands: ['chromium-headless-shell'] },
  git: { commands: ['git'] },
  make: { commands: ['make'] },
  'g++': { commands: ['g++', 'c++'] },
  python3: { commands: ['python3'] },
  tar: { commands: ['tar'] },
  openssl: { commands: ['openssl'] },
  // Tests run without these, but fewer of them.
  bubblewrap: { commands: ['bwrap'], says: 'bubblewrap' },
  slirp4netns: { commands: ['slirp4netns'], says: 'slirp4netns' },
  nftables: { commands: ['nft'], places: ['/usr/sbin/nft'], says: 'nftables' },
  iproute2: { commands: ['ip'], places: ['/usr/sbin/ip'] },
  'docker.io': { commands: ['dockerd'], places: ['/usr/sbin/dockerd'] },
  zsh: { commands: ['zsh'] },
  fish: { commands: ['fish'] },
  postgresql: { commands: ['pg_dump'] },
  curl: { commands: ['curl'] },
  'openssh-sftp-server': { commands: ['sftp-server'], places: ['/usr/lib/openssh/sftp-server'] },
  age: { commands: ['age-keygen'] },
  pebble: { commands: ['pebble'] },
  nginx: { commands: ['nginx'], places: ['/usr/sbin/nginx'] },
  fcgiwrap: { commands: ['fcgiwrap'], places: ['/usr/sbin/fcgiwrap'] },
  caddy: { commands: ['caddy'] },
  bind9: { commands: ['named'], places: ['/usr/sbin/named'] },
  'bind9-dnsutils': { commands: ['nsupdate'] },
  haproxy: { commands: ['haproxy'], places: ['/usr/sbin/haproxy'] },
  wrk: { commands: ['wrk'] },
  'nghttp2-client': { commands: ['h2load'] },
}

/** The path of the program, or undefined. */
export function findTool(name) {
  const { commands, places = [], variable, says } = tools[name]
  const named = variable && process.env[variable]
  if (named) return isProgram(named) ? named : undefined
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = folders.flatMap(folder => commands.map(command => join(folder, command)))
  return [...candidates, ...places].find(
    file => isProgram(file) && !isOfPackage(file) && (says === undefined || versionOf(file).includes(says)),
  )
}

/** npm puts the programs of packages first in the PATH. The `nft` of @vercel/nft, for one, is no firewall. */
const isOfPackage = file => realpathSync(file).includes('/node_modules/')

const versionOf = file => spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout ?? ''

/** What the sandbox of server apps and builds is made of. */
export const sandboxTools = ['bubblewrap', 'slirp4netns', 'nftables']

/** Installs what can be installed; whoever needs it says what it cannot do without it. */
export async function wishForTools(names) {
  try {
    await ensureTools(names)
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    console.warn(error.message)
  }
}

/** As root on Debian and its kin. */
export const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs what is missing (as root on Debian and its kin); throws with what to do where it cannot. */
export async function ensureTools(names) {
  const missing = names.filter(name => findTool(name) === undefined)
  if (missing.length === 0) return
  if (canInstall()) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await step('Updating the list of Debian packages', 'apt-get', ['update'], { env })
    const args = ['install', '-y', '--no-install-recommends', ...missing]
    await step(`Installing ${missing.join(', ')}`, 'apt-get', args, { env })
  }
  const still = names.filter(name => findTool(name) === undefined)
  if (still.length > 0) throw new StepFailed(still.map(howToGet).join('\n'))
}

export function howToGet(name) {
  const { variable } = tools[name]
  const setting = variable ? `, or set ${variable} to its path` : ''
  return `${name} is needed and was not found: install it (Debian: apt-get install ${name})${setting}.`
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Not there, or not ours to run: the next candidate may be.
  }
}
