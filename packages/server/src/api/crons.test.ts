import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { limits } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import type { Platform } from '../core/base/platform.ts'
import { runNow } from '../core/crons/run.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { newCronSite } from '../testing/crons.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite, setPassword } from '../testing/sites.ts'
import { makeTeam } from '../testing/team.ts'

const minute = 60_000
const docs = readFileSync(new URL('../../../../docs/crons.md', import.meta.url), 'utf8')
const check = docs
  .split('```js\n')[1]
  ?.split('```')[0]
  ?.replace(/^import (.*) from (.*)$/gm, 'const $1 = require($2)')

/** Checks its callers as the docs tell it to. */
const scheduledApp = `
${check}
require('node:http').createServer((req, res) => {
  res.setHeader('cache-control', 'public, max-age=60')
  if (req.url !== '/hang') return res.writeHead(isScheduled(req) ? 204 : 404).end()
  console.log('hanging')
  res.on('close', () => console.log('left alone'))
}).listen(process.env.PORT, process.env.HOSTNAME)
`

onEveryServer(server => {
  const newSite = (files?: Record<string, string>) => newCronSite(server(), files)

  describe('scheduled jobs', () => {
    let anySite: ReturnType<typeof newSite> | undefined

    it('are made, listed, disabled, enabled and deleted, and all of it is in the log', async () => {
      const { owner, name, crons, add, list } = await newSite()
      expect((await list()).crons).toEqual([])
      const made = await add({ schedule: ' 0  9 * * 1 ', path: '/api/tidy?full=1', method: 'post' })
      expect(made.status).toBe(201)
      const { json: cron } = made
      expect(cron).toEqual({
        id: expect.stringMatching(/^cron_[a-z0-9]{16}$/),
        schedule: '0 9 * * 1',
        path: '/api/tidy?full=1',
        method: 'POST',
        enabled: true,
        created_at: expect.stringMatching(/Z$/),
        last_run_at: null,
        last_status: null,
        next_run_at: expect.stringMatching(/T09:00:00\.000Z$/),
      })
      expect(new Date(cron.next_run_at).getUTCDay()).toBe(1)
      expect((await list()).crons).toEqual([cron])
      const off = await send(server(), `PATCH ${crons}/${cron.id}`, owner, { enabled: false })
      expect(off.json).toEqual({ ...cron, enabled: false, next_run_at: null })
      const on = await send(server(), `PATCH ${crons}/${cron.id}`, owner, { enabled: true })
      expect(on.json).toEqual(cron)
      expect((await send(server(), `DELETE ${crons}/${cron.id}`, owner)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), `DELETE ${crons}/${cron.id}`, owner))).toBe('404 not_found')
      const { json } = await send(server(), `GET /projects/${name}/audit`, owner)
      expect(json.entries.slice(0, 4).map((entry: { action: string }) => entry.action)).toEqual([
        'cron.delete',
        'cron.enable',
        'cron.disable',
        'cron.create',
      ])
    })

    it('are changed: schedule, path, method and state, each alone or together', async () => {
      const { owner, name, crons, add, list } = await newSite()
      const { json: cron } = await add({ schedule: '0 9 * * 1', path: '/a', method: 'POST' })
      const patch = (body: unknown) => send(server(), `PATCH ${crons}/${cron.id}`, owner, body)
      const moved = await patch({ schedule: ' 30  10 * * * ' })
      expect(moved.json).toEqual({
        ...cron,
        schedule: '30 10 * * *',
        next_run_at: expect.stringMatching(/T10:30:00\.000Z$/),
      })
      const other = await patch({ path: '/b', method: 'get' })
      expect(other.json).toEqual({ ...moved.json, path: '/b', method: 'GET' })
      const off = await patch({ enabled: false, schedule: '0 0 1 1 *' })
      expect(off.json).toEqual({ ...other.json, enabled: false, schedule: '0 0 1 1 *', next_run_at: null })
      expect((await patch({ schedule: '0 0 2 1 *' })).json).toMatchObject({
        enabled: false,
        next_run_at: null,
      })
      const on = await patch({ enabled: true })
      expect(on.json.next_run_at).toMatch(/-01-02T00:00:00\.000Z$/)
      expect((await patch({ schedule: '0 0 2 1 *', enabled: true })).json).toEqual(on.json)
      expect((await list()).crons).toEqual([on.json])
      const { json } = await send(server(), `GET /projects/${name}/audit`, owner)
      const actions = json.entries.map((entry: { action: string }) => entry.action)
      expect(actions.filter((action: string) => action.startsWith('cron.'))).toEqual([
        'cron.enable',
        'cron.update',
        'cron.disable',
        'cron.update',
        'cron.update',
        'cron.update',
        'cron.create',
      ])
    })

    it.each([
      [{}, /^Nothing to change: send enabled, schedule, path or method/],
      [{ enabled: 'yes' }, /^enabled: /],
      [{ schedule: '61 * * * *' }, /^schedule: '61' is no minute/],
      [{ schedule: null }, /^schedule: /],
      [{ path: '' }, /^path: /],
      [{ path: '//evil.example' }, /^path: /],
      [{ enabled: false, method: 'TRACE' }, /^method: /],
    ])('stay as they are when a change makes no sense: %j', async (body, message) => {
      const { owner, crons, add, list } = await newSite()
      const { json: cron } = await add({ schedule: '0 9 * * 1', path: '/a' })
      const answer = await send(server(), `PATCH ${crons}/${cron.id}`, owner, body)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.json.error.message).toMatch(message)
      expect((await list()).crons).toEqual([cron])
    })

    it('keep their next run when a change does not concern it, so that a minute that is just due is not skipped', async () => {
      const { owner, crons, add } = await newSite()
      const { json: cron } = await add({ schedule: '0 9 * * 1', path: '/a' })
      const { db } = server().running.platform.store
      const next_run_at = Date.parse(cron.next_run_at) + 7 * 24 * 60 * minute
      await db.updateTable('crons').set({ next_run_at }).where('id', '=', cron.id).execute()
      const { json } = await send(server(), `PATCH ${crons}/${cron.id}`, owner, { path: '/b' })
      expect(json.next_run_at).toBe(new Date(next_run_at).toISOString())
    })

    it('of a change of the schedule and a disable at the same time, the job stays disabled', async () => {
      const { owner, crons, add } = await newSite()
      const { json: cron } = await add({ schedule: '0 9 * * 1', path: '/a' })
      const patch = (body: unknown) => send(server(), `PATCH ${crons}/${cron.id}`, owner, body)
      await Promise.all([
        patch({ enabled: false }),
        ...[1, 2, 3].map(h => patch({ schedule: `0 ${h} * * *` })),
      ])
      expect((await patch({ path: '/b' })).json).toMatchObject({ enabled: false, next_run_at: null })
    })

    it('name the next five runs of a schedule before it is saved', async () => {
      const { owner, crons } = await newSite()
      const ask = (schedule: string) =>
        send(server(), `GET ${crons}/next?schedule=${encodeURIComponent(schedule)}`, owner)
      const { json } = await ask(' 0  9 * * MON-FRI')
      expect(json).toEqual({
        schedule: '0 9 * * MON-FRI',
        next_runs: Array(5).fill(expect.stringMatching(/T09:00:00\.000Z$/)),
      })
      const times = json.next_runs.map((time: string) => Date.parse(time))
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(new Set(times).size).toBe(5)
      expect(times.every((time: number) => ![0, 6].includes(new Date(time).getUTCDay()))).toBe(true)
      const wrong = await ask('0 25 * * *')
      expect(refusal(wrong)).toBe('400 invalid_request')
      expect(wrong.json.error.message).toMatch(/^schedule: '25' is no hour/)
    })

    it.each([
      [{ schedule: '* * * *', path: '/' }, /^schedule: must have five fields/],
      [{ schedule: '* * * * * *', path: '/' }, /^schedule: must have five fields/],
      [{ schedule: '@daily', path: '/' }, /^schedule: /],
      [{ schedule: '61 * * * *', path: '/' }, /^schedule: '61' is no minute: use 0-59, /],
      [{ schedule: '*/0 * * * *', path: '/' }, /^schedule: '\*\/0' is no minute/],
      [{ schedule: '0 22-2 * * *', path: '/' }, /^schedule: '22-2' is no hour/],
      [{ schedule: '0 0 1 13 *', path: '/' }, /^schedule: '13' is no month: use 1-12 or JAN-DEC/],
      [{ schedule: '0 0 30 2 *', path: '/' }, /^schedule: never comes/],
      [{ schedule: '* * * * *', path: 'tick' }, /^path: /],
      [{ schedule: '* * * * *', path: '//evil.example/' }, /^path: /],
      [{ schedule: '* * * * *', path: '/a b' }, /^path: .*percent-encoded/],
      [{ schedule: '* * * * *', path: '/ü' }, /^path: .*percent-encoded/],
      [{ schedule: '* * * * *', path: '/a#b' }, /^path: /],
      [{ schedule: '* * * * *', path: 'http://evil.example/' }, /^path: /],
      [{ schedule: '* * * * *', path: '/\r\nHost: x' }, /^path: /],
      [{ schedule: '* * * * *', path: '/', method: 'TRACE' }, /^method: /],
      [{ schedule: '* * * * *' }, /^path: /],
    ])('are refused where they make no sense: %j', async (body, message) => {
      anySite ??= newSite()
      const { add } = await anySite
      const answer = await add(body)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.json.error.message).toMatch(message)
    })

    it('are at most a hundred', async () => {
      const { name, owner, add } = await newSite()
      const { json: first } = await add({ schedule: '0 0 1 1 *', path: '/' })
      const { db } = server().running.platform.store
      const row = await db
        .selectFrom('crons')
        .selectAll()
        .where('id', '=', first.id)
        .executeTakeFirstOrThrow()
      const rows = Array.from({ length: limits.crons - 1 }, (_, i) => ({
        ...row,
        id: `${row.id.slice(0, -3)}${String(i).padStart(3, '0')}`,
      }))
      await db.insertInto('crons').values(rows).execute()
      expect(refusal(await add({ schedule: '0 0 1 1 *', path: '/' }))).toBe('400 invalid_request')
      await send(server(), `DELETE /projects/${name}`, owner)
      expect(await db.selectFrom('crons').where('id', '=', first.id).selectAll().execute()).toEqual([])
    })

    it('are for those who may see the project', async () => {
      const team = await makeTeam(server())
      const name = await deploySite(server(), team.owner.token, { 'index.html': 'x' }, team.org)
      const path = `GET /projects/${name}/crons` as const
      expect((await send(server(), path, team.member)).status).toBe(200)
      expect(refusal(await send(server(), path, team.outsider))).toBe('404 not_found')
    })
  })

  describe('a run', () => {
    it('is a request to the live site, and its status is kept', async () => {
      const { owner, crons, add, list, runs } = await newSite()
      const { json: cron } = await add({ schedule: '0 0 1 1 *', path: '/tick?x=1' })
      const { json: gone } = await add({ schedule: '0 0 1 1 *', path: '/nothing-here' })
      const run = await send(server(), `POST ${crons}/${cron.id}/run`, owner)
      expect([run.status, run.json]).toEqual([
        200,
        { started_at: expect.any(String), duration_ms: expect.any(Number), status: 200, error: null },
      ])
      expect((await send(server(), `POST ${crons}/${gone.id}/run`, owner)).json.status).toBe(404)
      expect(await runs(cron.id)).toEqual([run.json])
      expect((await list()).crons).toMatchObject([
        { id: cron.id, last_run_at: run.json.started_at, last_status: 200 },
        { id: gone.id, last_status: 404 },
      ])
    })

    it('follows no redirect', async () => {
      const { owner, crons, add } = await newSite({ 'docs/index.html': 'x' })
      const { json: cron } = await add({ schedule: '0 0 1 1 *', path: '/docs' })
      expect((await send(server(), `POST ${crons}/${cron.id}/run`, owner)).json.status).toBe(308)
    })

    it('passes the gate of a protected site, which nobody else does with what it carries', async () => {
      const { owner, name, crons, add, list } = await newSite()
      await setPassword(server(), owner.token, name, 'opensesame')
      const { json: cron } = await add({ schedule: '0 0 1 1 *', path: '/tick?x=1' })
      expect((await send(server(), `POST ${crons}/${cron.id}/run`, owner)).json.status).toBe(200)

      const { verification_secret: secret } = await list()
      const seconds = Math.floor(server().clock.now() / 1000)
      const visit = async (path: string, timestamp: number, signed = `${timestamp}.GET.${path}`) => {
        const hex = createHmac('sha256', secret).update(signed).digest('hex')
        const headers = { 'x-svc-timestamp': String(timestamp), 'x-svc-signature': `v1=${hex}` }
        return (await server().site(name, path, { headers })).status
      }
      expect(await visit('/tick?x=1', seconds)).toBe(200)
      expect(await visit('/tick?x=1', seconds - 290)).toBe(200)
      expect(await visit('/tick?x=1', seconds - 310)).toBe(401)
      expect(await visit('/tick?x=1', seconds + 310)).toBe(401)
      expect(await visit('/tick?x=2', seconds, `${seconds}.GET./tick?x=1`)).toBe(401)
      expect(await visit('/tick?x=1', seconds, `${seconds}.POST./tick?x=1`)).toBe(401)
      const other = await newSite()
      await setPassword(server(), other.owner.token, other.name, 'opensesame')
      const hex = createHmac('sha256', secret).update(`${seconds}.GET./`).digest('hex')
      const headers = { 'x-svc-timestamp': String(seconds), 'x-svc-signature': `v1=${hex}` }
      expect((await server().site(other.name, '/', { headers })).status).toBe(401)
    })

    it('proves to the app who asks, by the check that the docs show, whatever the edge remembers', async () => {
      const app = await TestApp.create(server())
      await app.deploy(procfileApp('scheduled', scheduledApp))
      const path = '/tick?a=%C3%A4&b=//x'
      const { host } = new URL((await app.detail()).url)
      for (const method of ['GET', 'POST']) {
        const visit = async () => (await server().request(path, { method, host })).status
        expect(await visit()).toBe(404)
        const job = { schedule: '0 0 1 1 *', path, method }
        const { json: cron } = await send(server(), `POST /projects/${app.name}/crons`, app, job)
        const run = await send(server(), `POST /projects/${app.name}/crons/${cron.id}/run`, app)
        expect(run.json).toMatchObject({ status: 204, error: null })
        expect(await visit()).toBe(404)
      }
    })

    it('wakes an app that sleeps, and ends after 60 seconds, for the app too', async () => {
      const app = await TestApp.create(server())
      await app.sleep(await app.deploy(procfileApp('scheduled', scheduledApp)))
      const wrote = (line: string) =>
        eventually(async () => {
          const { json } = await send(server(), `GET /projects/${app.name}/logs`, app)
          return json.logs.split('\n').includes(line)
        })
      const add = { schedule: '0 0 1 1 *', path: '/hang' }
      const { json: cron } = await send(server(), `POST /projects/${app.name}/crons`, app, add)
      const run = send(server(), `POST /projects/${app.name}/crons/${cron.id}/run`, app)
      await wrote('hanging')
      server().clock.advance(minute)
      expect((await run).json).toMatchObject({
        status: null,
        error: 'There was no answer within 60 seconds.',
      })
      await wrote('left alone')
    })

    it('is kept among the last 20', async () => {
      const { name, owner, crons, add, runs } = await newSite()
      const { json: cron } = await add({ schedule: '0 0 1 1 *', path: '/tick' })
      const { id: projectId } = (await send(server(), `GET /projects/${name}`, owner)).json
      let status = 199
      const platform: Platform = { ...server().running.platform, callSite: async () => ++status }
      for (let i = 0; i < 23; i++) {
        server().clock.advance(1)
        await runNow(platform, projectId, cron.id)
      }
      const kept = (await runs(cron.id)).map((run: { status: number }) => run.status)
      expect(kept).toEqual(Array.from({ length: 20 }, (_, i) => 222 - i))
      expect(refusal(await send(server(), `GET ${crons}/cron_0000000000000000/runs`, owner))).toBe(
        '404 not_found',
      )
    })

    it('says why there was no answer', async () => {
      const { name, owner, add, runs } = await newSite()
      const { json: cron } = await add({ schedule: '0 0 1 1 *', path: '/tick' })
      const { id: projectId } = (await send(server(), `GET /projects/${name}`, owner)).json
      const callSite = async () => {
        throw new Error('connect ECONNREFUSED')
      }
      await runNow({ ...server().running.platform, callSite }, projectId, cron.id)
      expect(await runs(cron.id)).toMatchObject([
        { status: null, error: 'The request failed: connect ECONNREFUSED' },
      ])
    })
  })
})
