// An app that writes to its disk and to its database, deployed on svc or started by hand.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './children.mjs'
import { onCore, serverCore } from './load.mjs'
import { packSite } from './sites.mjs'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/**
 * `/write` answers with the transactions of SQLite that it made, per second and per second of processor time. `/run` runs a program and answers with its output. `/fill`
 * writes files of 1 MB to the disk. `/` answers with the variable VERSION.
 */
const program = `
const { DatabaseSync } = require('@photostructure/sqlite')
const { execFile } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

function write(seconds, synchronous) {
  const file = path.join(process.env.SVC_DISK, 'bench.db')
  for (const end of ['', '-wal', '-shm']) fs.rmSync(file + end, { force: true })
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = ' + synchronous)
  db.exec('create table notes (id integer primary key, text text)')
  const insert = db.prepare('insert into notes (text) values (?)')
  const text = 'x'.repeat(200)
  const begun = performance.now()
  const before = process.cpuUsage()
  let count = 0
  for (; performance.now() - begun < seconds * 1000; count++) insert.run(text)
  const took = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(before)
  db.close()
  return { perSecond: count / took, perCpuSecond: (count * 1e6) / (user + system) }
}

function fill(from, files) {
  for (let i = from; i < from + files; i++)
    fs.writeFileSync(path.join(process.env.SVC_DISK, 'file-' + i), randomBytes(1024 ** 2))
}

require('node:http').createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, 'http://app')
  if (pathname === '/write') 
    return res.end(JSON.stringify(write(Number(searchParams.get('seconds')), searchParams.get('synchronous'))))
  if (pathname === '/fill') return res.end(String(fill(Number(searchParams.get('from')), Number(searchParams.get('files')))))
  if (pathname === '/env') return res.end(JSON.stringify(process.env))
  if (pathname !== '/run') return res.end(process.env.VERSION ?? '')
  const [file, ...args] = searchParams.getAll('word')
  execFile(file, args, { maxBuffer: 1024 ** 2 }, (error, stdout, stderr) => {
    res.statusCode = error ? 500 : 200
    res.end(stdout + stderr)
  })
}).listen(process.env.PORT, process.env.HOSTNAME)
`

/** A folder with the app, and its tarball. */
export function copyDataApp(dir, name = 'app', version = '1') {
  const root = join(dir, name)
  mkdirSync(root)
  writeFileSync(join(root, 'app.cjs'), program)
  writeFileSync(join(root, 'Procfile'), `web: VERSION=${version} node app.cjs\n`)
  const sqlite = realpathSync(join(modules, '@photostructure/sqlite'))
  copyPackage(root, '@photostructure/sqlite', sqlite)
  const require = createRequire(join(sqlite, 'package.json'))
  copyPackage(root, 'node-gyp-build', dirname(require.resolve('node-gyp-build/package.json')))
  return { root, tarball: packSite(root) }
}

const copyPackage = (root, name, from) =>
  cpSync(from, join(root, 'node_modules', name), {
    recursive: true,
    filter: file => !/prebuilds[/\\](darwin|win32)|[/\\]src([/\\]|$)/.test(file),
  })

/** Starts it by hand, with a directory as its disk. */
export async function startOutside(root, disk) {
  mkdirSync(disk, { recursive: true })
  const port = await freePort()
  const [command, ...args] = [...onCore(serverCore), process.execPath, join(root, 'app.cjs')]
  const env = {
    ...process.env,
    PORT: String(port),
    HOSTNAME: '127.0.0.1',
    NODE_ENV: 'production',
    SVC_DISK: disk,
  }
  const child = spawn(command, args, { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  const ask = async path => ({ body: await (await fetch(`http://127.0.0.1:${port}${path}`)).text() })
  while (!(await ask('/').catch(() => undefined))) await sleep(10)
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { ask, stop }
}
