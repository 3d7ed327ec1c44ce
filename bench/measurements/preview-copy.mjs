// The first deploy of a branch whose preview begins with 1 GB of production's data: in a database, and on a disk. Beside what copies the
// same data by hand.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { copyDataApp } from '../data-apps.mjs'
import { programsOf } from '../postgres.mjs'
import { startSvc } from '../svc.mjs'

const run = promisify(execFile)
/** Of pgbench: 1 GB with its indexes. */
const scale = 67
/** Of 1 MB each, so many times. */
const [files, pieces] = [128, 8]

/** Each is done once: the copies are large. */
export async function measure({ dir }) {
  const { tarball } = copyDataApp(dir)
  const settings = { SVCD_APPS_POSTGRES: 'on', SVCD_APP_DATABASE_MB: '4096' }
  const svc = await startSvc({ settings })
  try {
    return [await measureDatabase(svc, tarball), await measureDisk(svc, tarball)]
  } finally {
    await svc.stop()
  }
}

async function measureDatabase(svc, tarball) {
  const bin = programsOf()
  const env = await databaseOf(svc, 'database', tarball)
  await run(join(bin, 'pgbench'), ['-i', '-q', '-s', String(scale)], { env })
  await svc.api('PATCH', '/projects/database/database', { preview_data: 'copy' })
  const copied = await timed(() => svc.deploy('database', tarball, '?branch=topic'))
  const other = await databaseOf(svc, 'by-hand', tarball)
  const { PGPASSWORD, PGDATABASE } = other
  const target = `postgresql://${PGDATABASE}:${PGPASSWORD}@localhost/${PGDATABASE}?host=${env.PGHOST}`
  const copy = '"$1/pg_dump" -Fc | "$1/pg_restore" --no-owner --no-acl --single-transaction --dbname "$2"'
  const byHand = await timed(() => run('sh', ['-c', copy, 'sh', bin, target], { env }))
  return {
    ...{ what: 'first deploy of a preview with a copy of a database of 1 GB', unit: 's', svc: copied },
    ...{ other: 'pg_dump and pg_restore', value: byHand },
  }
}

/** The variables that reach the database of a new project from outside of its sandbox. */
async function databaseOf(svc, name, tarball) {
  await svc.api('POST', '/projects', { name })
  await svc.api('POST', `/projects/${name}/database`, {})
  await svc.deploy(name, tarball)
  const { PGUSER, PGPASSWORD, PGDATABASE } = JSON.parse((await svc.visit(name, '/env')).body)
  const PGHOST = join(svc.machine.dataDir, 'postgresql/socket')
  const PGOPTIONS = '-c statement_timeout=0'
  return { ...process.env, PGHOST, PGUSER, PGPASSWORD, PGDATABASE, PGOPTIONS }
}

async function measureDisk(svc, tarball) {
  await svc.api('POST', '/projects', { name: 'disk' })
  await svc.api('PUT', '/projects/disk/disk', { size_bytes: 2 * 1024 ** 3 })
  await svc.deploy('disk', tarball)
  for (let i = 0; i < pieces; i++) await svc.visit('disk', `/fill?from=${i * files}&files=${files}`)
  await svc.api('POST', '/projects/disk/disk/snapshots')
  while ((await svc.api('GET', '/projects/disk/disk')).disk.is_copying) await sleep(200)
  const { disk } = await svc.api('PATCH', '/projects/disk/disk', { preview_data: 'copy' })
  if (disk.problem) throw new Error(disk.problem)
  const copied = await timed(() => svc.deploy('disk', tarball, '?branch=topic'))
  const dirs = join(svc.machine.dataDir, 'disks')
  const byHand = await timed(() =>
    run('sh', ['-c', 'cp -a "$1"/dsk_*/snapshots/snp_* "$1"/by-hand && sync -f "$1"', 'sh', dirs]),
  )
  return {
    ...{ what: 'first deploy of a preview with a copy of a disk of 1 GB', unit: 's', svc: copied },
    ...{ other: 'cp -a and sync', value: byHand },
  }
}

async function timed(work) {
  await run('sync')
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}
