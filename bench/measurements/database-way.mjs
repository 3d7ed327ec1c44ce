// pgbench in the sandbox of an app, which reaches the database by the socket that svcd shows there, beside pgbench at the socket directly.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyDataApp } from '../data-apps.mjs'
import { programsOf } from '../postgres.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const seconds = 4
const ways = [
  { what: 'pgbench through the way of an app, reading', flags: ['-S'] },
  { what: 'pgbench through the way of an app, reading and writing', flags: ['-N'] },
]

export async function measure({ dir }) {
  const pgbench = join(programsOf(), 'pgbench')
  const { tarball } = copyDataApp(dir)
  const svc = await startSvc({ settings: { SVCD_APPS_POSTGRES: 'on' } })
  try {
    await svc.api('POST', '/projects', { name: 'database-way' })
    await svc.api('POST', '/projects/database-way/database', {})
    await svc.deploy('database-way', tarball)
    const { PGUSER: user, PGPASSWORD: password } = JSON.parse((await svc.visit('database-way', '/env')).body)
    const inside = async (...args) => {
      const words = new URLSearchParams([pgbench, ...args].map(word => ['word', word]))
      const { status, body } = await svc.visit('database-way', `/run?${words}`)
      if (status !== 200) throw new Error(String(body))
      return tps(String(body))
    }
    const socket = join(svc.machine.dataDir, 'postgresql/socket')
    const env = { ...process.env, PGHOST: socket, PGUSER: user, PGPASSWORD: password, PGDATABASE: user }
    const direct = async (...args) => tps((await promisify(execFile)(pgbench, args, { env })).stdout)
    await promisify(execFile)(pgbench, ['-i', '-q', '-s', '5'], { env })
    const rows = []
    for (const { what, flags } of ways) {
      const args = ['-n', '-c', '4', '-T', String(seconds), ...flags]
      const result = await interleave(7, { inside: () => inside(...args), direct: () => direct(...args) })
      rows.push({
        ...{ what, unit: 'transactions/s', svc: result.inside },
        ...{ other: 'at the socket', value: result.direct, atLeast: 0.9 },
      })
    }
    return rows
  } finally {
    await svc.stop()
  }
}

const tps = output => Number(/tps = ([\d.]+)/.exec(output)?.[1] ?? 0)
