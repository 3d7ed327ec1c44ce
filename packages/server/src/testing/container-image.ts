// Makes a container image for apps from this machine's Node.js, npm and shell, because tests cannot reach a registry.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const programs = {
  '/usr/local/bin/node': process.execPath,
  '/bin/sh': '/bin/sh',
  '/bin/cat': '/bin/cat',
  '/bin/mkdir': '/bin/mkdir',
  '/bin/rm': '/bin/rm',
  '/bin/sleep': '/bin/sleep',
  '/bin/stty': '/bin/stty',
  '/bin/tar': '/bin/tar',
  '/usr/bin/find': '/usr/bin/find',
  '/usr/bin/env': '/usr/bin/env',
  '/usr/bin/script': '/usr/bin/script',
  '/usr/bin/tr': '/usr/bin/tr',
}

export function importImage(host: string, name: string): void {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-image-'))
  try {
    for (const [place, source] of Object.entries(programs)) {
      copyTo(root, place, source)
      for (const library of librariesOf(source)) copyTo(root, library, library)
    }
    addNpm(root)
    // The user of an app must be able to open these folders. The engine puts its init process into /sbin.
    for (const dir of ['app', 'sbin']) mkdirSync(path.join(root, dir), { recursive: true })
    chmodSync(root, 0o755)
    const archive = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1024 ** 3 })
    execFileSync('docker', ['-H', host, 'import', '-', name], { input: archive, stdio: 'pipe' })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function copyTo(root: string, place: string, source: string): void {
  const target = path.join(root, place)
  if (existsSync(target)) return
  mkdirSync(path.dirname(target), { recursive: true })
  copyFileSync(realpathSync(source), target)
}

function librariesOf(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  return [...listed.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, library]) => library ?? '')
}

function addNpm(root: string): void {
  const npm = path.join(path.dirname(path.dirname(realpathSync(process.execPath))), 'lib/node_modules/npm')
  const target = path.join(root, 'usr/local/lib/node_modules/npm')
  cpSync(npm, target, {
    recursive: true,
    filter: source => !/\/(docs|man|test)(\/|$)/.test(source.slice(npm.length)),
  })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'usr/local/bin/npm'))
}
