// A real S3 server for tests: Ceph's radosgw with one monitor and one object store in memory. Debian has them in the packages
// radosgw, ceph-mon, ceph-osd and ceph-common.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import { freePorts } from './free-ports.ts'

const run = promisify(execFile)
const programs = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph', 'radosgw-admin', 'monmaptool']
const places = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin']

/** A program that is not installed. `undefined` if there are all of them. */
export const missingForRadosgw = (): string | undefined =>
  programs.find(name => !places.some(dir => isProgram(dir, name)))

function isProgram(dir: string, name: string): boolean {
  try {
    accessSync(path.join(dir, name), constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface Radosgw {
  /** The value for SVCD_STORAGE_URL, without a prefix. */
  storageUrl(prefix: string): string
  stop(): Promise<void>
}

const bucket = 'svc-test'

export async function startRadosgw(): Promise<Radosgw> {
  // A short path: that of a socket has at most about a hundred characters.
  const dir = mkdtempSync(path.join(tmpdir(), 'rgw-'))
  const [monPort = 0, port = 0] = await freePorts(2)
  const daemons: ChildProcess[] = []
  const conf = path.join(dir, 'ceph.conf')
  const [mon, osd] = [path.join(dir, 'mon'), path.join(dir, 'osd')]
  for (const folder of [mon, osd]) mkdirSync(folder)
  const cluster = randomUUID()
  writeFileSync(conf, configuration({ dir, cluster, monPort, port }))
  const options = { env: { PATH: places.join(path.delimiter), CEPH_CONF: conf }, timeout: 60_000 }
  const command = (program: string, ...args: string[]) => run(program, args, options)
  const start = (program: string, ...args: string[]) =>
    daemons.push(spawn(program, [...args, '-f', '-c', conf], { env: options.env, stdio: 'ignore' }))
  const stop = async () => {
    for (const daemon of daemons.toReversed()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue
      daemon.kill('SIGKILL')
      await once(daemon, 'exit')
    }
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    const monmap = path.join(dir, 'monmap')
    const address = `[v1:127.0.0.1:${monPort}]`
    await command('monmaptool', '--create', '--addv', 'a', address, '--fsid', cluster, monmap)
    await command('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monmap)
    start('ceph-mon', '-i', 'a')
    const disk = randomUUID()
    await eventually(async () => await command('ceph', 'osd', 'new', disk))
    await command('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk)
    start('ceph-osd', '-i', '0')
    start('radosgw', '-n', 'client.rgw.a')
    const endpoint = `http://127.0.0.1:${port}`
    await eventually(async () => (await fetch(endpoint)).ok)
    const [id, secret] = ['svctest', randomBytes(16).toString('hex')]
    const keys = ['--access-key', id, '--secret-key', secret]
    await command('radosgw-admin', 'user', 'create', '--uid', 'svc', '--display-name', 'svc', ...keys)
    const storageUrl = (prefix: string) => `s3://${id}:${secret}@${bucket}/${prefix}?endpoint=${endpoint}`
    return { storageUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Cluster {
  dir: string
  cluster: string
  monPort: number
  port: number
}

/** Without authentication between the daemons, which listen on the loopback address only. One copy of each object. */
const configuration = ({ dir, cluster, monPort, port }: Cluster): string => `[global]
fsid = ${cluster}
mon initial members = a
mon host = [v1:127.0.0.1:${monPort}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 0
osd objectstore = memstore
osd data = ${dir}/osd
mon data = ${dir}/mon
run dir = ${dir}
log file = ${dir}/$name.log
admin socket = ${dir}/$name.asok
pid file = ${dir}/$name.pid
keyring = ${dir}/keyring
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:${port}
`
