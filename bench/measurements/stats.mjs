// `GET …/stats` of a project that had 10 million requests in 72 hours. They are counted and written by the code that
// edges use; each entry stands for ten requests in a row, as of a client that asks for the same again.
import { join } from 'node:path'
import { Counter } from '../../packages/server/dist/core/stats/counter.js'
import { Recorder } from '../../packages/server/dist/core/stats/recorder.js'
import { openSqlite } from '../../packages/server/dist/store/sqlite/store.js'
import { quantile } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const hours = 72
const inARow = 10
const entriesPerHour = Math.ceil(10_000_000 / inARow / hours)
const asked = 50
const questions = ['/stats?hours=72', '/stats/history?days=365', '/stats/audience?days=365']

export async function measure() {
  const svc = await startSvc()
  try {
    const { id } = await svc.api('POST', '/projects', { name: 'busy' })
    await fill(join(svc.machine.dataDir, 'svc.db'), id)
    const { totals } = await svc.api('GET', '/projects/busy/stats?hours=72')
    if (totals.requests < 10_000_000) throw new Error(`only ${totals.requests} requests were counted`)
    const rows = []
    for (const question of questions) {
      const taken = []
      for (let i = 0; i < asked; i++) {
        const began = performance.now()
        await svc.api('GET', `/projects/busy${question}`)
        taken.push(performance.now() - began)
      }
      for (const [name, share] of Object.entries({ p50: 0.5, p99: 0.99 }))
        rows.push({
          what: `${question.split('?')[0]}, 10 million requests, ${name} of ${asked}`,
          unit: 'ms',
          svc: quantile(taken, share),
          limit: 300,
        })
    }
    return rows
  } finally {
    await svc.stop()
  }
}

async function fill(file, projectId) {
  const store = await openSqlite(file)
  const counter = new Counter({
    geo: { country: async () => undefined },
    saltOf: async () => 'salt',
    isTrusted: () => true,
    countryHeader: 'x-country',
  })
  const lose = requests => {
    throw new Error(`${requests} requests were lost`)
  }
  const recorder = new Recorder(store, lose)
  const now = Date.now()
  for (let ago = hours - 1; ago >= 0; ago--) {
    // As often as an edge would write in a busy hour, so that lists of names grow and are cut as they would be.
    for (let part = 0; part < 10; part++) {
      const entries = Array.from({ length: entriesPerHour / 10 + 1 }, () =>
        entryOf(projectId, now - ago * 3_600_000),
      )
      const count = await counter.read(entries)
      count(recorder.tally)
      await recorder.write()
    }
  }
  await store.close()
}

/** A few paths have most of the requests, and very many have one now and then. */
function entryOf(projectId, at) {
  const path = Math.floor(20_000 ** Math.random())
  const who = Math.floor(Math.random() * 50_000)
  const country = String.fromCharCode(65 + (who % 13), 65 + (who % 11))
  return {
    at,
    projectId,
    host: path % 3 === 0 ? 'www.busy.example' : 'busy.localhost',
    method: 'GET',
    target: `/articles/${path}`,
    status: path % 50 === 49 ? 404 : 200,
    bytes: 4096,
    cache: path > 5000 ? 'MISS' : 'HIT',
    html: path % 4 === 0,
    peer: '127.0.0.1',
    fields: `User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/${who % 40}.0\r\nX-Forwarded-For: 10.${who >> 8}.${who & 255}.1\r\nX-Country: ${country}\r\nReferer: https://site-${path % 300}.example/\r\n`,
    times: inARow,
    taken: false,
  }
}
