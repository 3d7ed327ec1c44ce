import type { ChartPoint } from '@svc/contract'
import { beforeAll, expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import type { Access } from '../core/stats/access.ts'
import { ChartRecorder } from '../core/stats/chart-recorder.ts'
import { platformAdmin } from '../testing/admins.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { type CountedSite, day, hour, newCountedSite, setToNoon } from '../testing/stats.ts'

const minute = 60_000

onEveryServer(server => {
  beforeAll(() => setToNoon(server().clock))

  const now = () => server().clock.now()
  const newSite = () => newCountedSite(server())

  const read = async (site: CountedSite, range = '1h') =>
    (await send(server(), `GET /projects/${site.name}/stats/charts?range=${range}`, site)).json

  const rowsOf = async (owner: string): Promise<{ step_ms: number; requests: number }[]> => {
    const { db } = server().running.platform.store
    const rows = await db.selectFrom('chart_points').selectAll().where('owner', '=', owner).execute()
    return rows.map(row => ({ step_ms: Number(row.step_ms), requests: Number(row.requests) }))
  }

  /** Writes as a process of svcd does. */
  async function record(fill: (charts: ChartRecorder) => void): Promise<void> {
    const charts = new ChartRecorder(server().running.platform.store, error => expect.fail(`${error}`))
    fill(charts)
    await charts.close()
  }

  const answer = (site: CountedSite, change: Partial<Access>): Access => ({
    ...{
      at: now(),
      projectId: site.id,
      host: 'a.example',
      method: 'GET',
      target: '/',
      status: 200,
      bytes: 1,
    },
    ...{ cache: undefined, source: 'app', html: false, peer: '127.0.0.1', deploymentId: undefined },
    ...{ requestId: undefined, ms: 20, fields: '', times: 1, taken: false },
    ...change,
  })

  const pointAt = (points: ChartPoint[], at: number) =>
    points.find(point => Date.parse(point.at) <= at && at < Date.parse(point.at) + minute)

  it('what several nodes count for the same minute adds up', async () => {
    const site = await newSite()
    const at = now() - 10 * minute
    const use = { from: at - (at % minute), to: at - (at % minute) + minute, memoryBytes: 64 * 1024 ** 2 }
    for (const cpuSeconds of [30, 60])
      await record(charts => {
        charts.add(answer(site, { at, times: 19, ms: 8 }))
        charts.add(answer(site, { at, status: 502, ms: 400 }))
        charts.add(answer(site, { at, cache: 'HIT', ms: 9_000 }))
        charts.add(answer(site, { at, source: 'static', ms: undefined }))
        charts.addUse(site.id, { ...use, cpuSeconds })
      })
    const { points, ...rest } = await read(site)
    expect(rest).toMatchObject({ project: site.name, range: '1h', step_seconds: 60 })
    expect(points).toHaveLength(60)
    expect(pointAt(points, at)).toMatchObject({
      ...{ requests: 44, errors: 2, p95_ms: 10, instances: 2 },
      ...{ cpu_cores: 0.75, memory_bytes: 64 * 1024 ** 2 },
    })
    expect(pointAt(points, at - 5 * minute)).toMatchObject({
      ...{ requests: 0, errors: 0, p95_ms: null, instances: 0, cpu_cores: null, memory_bytes: null },
    })
  })

  it('an app that ran for a part of the time has the memory that it used then', async () => {
    const site = await newSite()
    const start = now() - 10 * minute - (now() % minute)
    await record(charts =>
      charts.addUse(site.id, {
        ...{ from: start + 45_000, to: start + 75_000, memoryBytes: 100 * 1024 ** 2, cpuSeconds: 15 },
      }),
    )
    const { points } = await read(site)
    for (const at of [start, start + minute])
      expect(pointAt(points, at)).toMatchObject({
        ...{ instances: 0.25, cpu_cores: 0.5, memory_bytes: 100 * 1024 ** 2 },
      })
  })

  it.each([
    ['1h', 60, 60],
    ['24h', 144, 600],
    ['7d', 168, 3_600],
    ['30d', 180, 14_400],
  ])(
    'the range of %s has %i points of %i seconds, and all of them are over',
    async (range, count, seconds) => {
      const site = await newSite()
      const at = now() - 3 * seconds * 1000
      await record(charts => charts.add(answer(site, { at, times: 7 })))
      const { points, from, to, step_seconds } = await read(site, range)
      expect([points.length, step_seconds]).toEqual([count, seconds])
      expect(Date.parse(to)).toBeLessThan(now())
      expect(Date.parse(to) - Date.parse(from)).toBe(count * seconds * 1000)
      const busy = points.filter((point: ChartPoint) => point.requests > 0)
      expect(busy).toMatchObject([{ at: new Date(at - (at % (seconds * 1000))).toISOString(), requests: 7 }])
    },
  )

  it('a request to the site is in the charts of its project and of the platform', async () => {
    const site = await newSite()
    const admin = await platformAdmin(server())
    await server().site(site.name, '/missing')
    await eventually(async () => (await rowsOf(site.id)).length === 2)
    expect(await rowsOf(site.id)).toEqual(
      expect.arrayContaining([
        { step_ms: minute, requests: 1 },
        { step_ms: hour, requests: 1 },
      ]),
    )
    const { status, json } = await send(server(), 'GET /admin/charts?range=24h', admin)
    expect(status).toBe(200)
    expect(json.points).toHaveLength(144)
    const ofPlatform = (await rowsOf('platform')).reduce((sum, { requests }) => sum + requests, 0)
    expect(ofPlatform).toBeGreaterThanOrEqual(2)
  })

  it('the platform shows what svcd and all apps use together', async () => {
    const [one, other] = [await newSite(), await newSite()]
    const admin = await platformAdmin(server())
    const from = now() - 30 * minute - (now() % minute)
    const use = { from, to: from + minute, memoryBytes: 1024 ** 3, cpuSeconds: 60 }
    await record(charts => {
      for (const site of [one, other]) charts.addUse(site.id, use)
      charts.addOwnUse(use)
    })
    const { points } = (await send(server(), 'GET /admin/charts', admin)).json
    expect(pointAt(points, from)).toMatchObject({ instances: 2, cpu_cores: 3, memory_bytes: 3 * 1024 ** 3 })
  })

  it('refuses a range that there is not, and strangers', async () => {
    const site = await newSite()
    const path = `/projects/${site.name}/stats/charts` as const
    expect(refusal(await send(server(), `GET ${path}?range=2h`, site))).toBe('400 invalid_request')
    expect(refusal(await send(server(), `GET ${path}`, await server().account()))).toBe('404 not_found')
  })

  it('counts of a project that is gone are left out, and those of others are written', async () => {
    const site = await newSite()
    await record(charts => {
      charts.add(answer({ ...site, id: 'prj_gone' }, {}))
      charts.add(answer(site, {}))
    })
    expect(await rowsOf('prj_gone')).toEqual([])
    expect(await rowsOf(site.id)).toHaveLength(2)
  })

  it('counts that the database refused are written later', async () => {
    const site = await newSite()
    const { store } = server().running.platform
    let fails = 1
    const flaky: Pick<typeof store, 'transact'> = {
      transact: work => (fails-- > 0 ? Promise.reject(new Error('gone')) : store.transact(work)),
    }
    const charts = new ChartRecorder(flaky, () => undefined)
    charts.add(answer(site, {}))
    await eventually(async () => (await rowsOf(site.id)).length === 2)
    await charts.close()
  })

  it('the sweep removes minutes after a day and hours after a month', async () => {
    const site = await newSite()
    const ages = [hour, 2 * day, 31 * day]
    await record(charts => {
      for (const age of ages) charts.add(answer(site, { at: now() - age, times: age / hour }))
    })
    await sweep(server().running.platform)
    const rows = await rowsOf(site.id)
    expect(rows.filter(row => row.step_ms === minute).map(row => row.requests)).toEqual([1])
    expect(rows.filter(row => row.step_ms === hour).map(row => row.requests)).toEqual([48, 1])
  })

  it('the charts of a project are deleted with it', async () => {
    const site = await newSite()
    await record(charts => charts.add(answer(site, {})))
    expect((await send(server(), `DELETE /projects/${site.name}`, site)).status).toBe(200)
    await eventually(async () => (await rowsOf(site.id)).length === 0)
  })
})
