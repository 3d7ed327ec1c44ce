import { expect, it } from 'vitest'
import type { Platform } from '../core/base/platform.ts'
import { checkTotals } from '../store/deployments/stored-totals.ts'
import { archiveOf } from '../testing/archives.ts'
import { submit } from '../testing/forms.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const GB = 1024 ** 3
const site = { 'index.html': 'hello' }

onEveryServer(server => {
  const db = () => server().running.platform.store.db
  const client = (token: string) => server().client(token)

  /** Makes a project's deployments look as large as this. */
  const pretendSize = async (name: string, bytes: number) => {
    await db()
      .updateTable('deployments')
      .set({ size_bytes: bytes })
      .where('project_id', '=', eb => eb.selectFrom('projects').select('id').where('name', '=', name))
      .execute()
    await countAgain()
  }

  const countAgain = () =>
    checkTotals(server().running.platform.store, {
      ...{ before: Number.MAX_SAFE_INTEGER, now: 1, atMost: 10_000 },
    })

  async function fullAccount() {
    const { token } = await server().account()
    const name = await deploySite(server(), token, site)
    await pretendSize(name, 5 * GB)
    return { token, name }
  }

  it('the platform refuses an upload beyond the storage of the plan, and says what to do', async () => {
    const { token, name } = await fullAccount()
    const { status, json } = await server().upload(token, name, archiveOf(site))
    expect([status, json.error.code]).toEqual([402, 'quota_exceeded'])
    expect(json.error.message).toBe(
      "The plan allows 5 GB of stored deployments, and 5 GB are used. Delete old deployments with 'svc deployments rm <deployment-id>', or change to a larger plan.",
    )
    expect((await server().site(name)).text).toBe('hello')
    const share = await server().request('/shares', {
      method: 'POST',
      token,
      body: archiveOf(site),
      headers: { 'content-type': 'application/gzip' },
    })
    expect(share.status).toBe(402)
  })

  it('the platform takes uploads again once old deployments are deleted', async () => {
    const { token, name } = await fullAccount()
    await pretendSize(name, 4 * GB)
    const [old] = (await client(token)('GET /projects/:name', { params: { name } })).deployments
    expect((await server().upload(token, name, archiveOf(site))).status).toBe(201)
    await pretendSize(name, 4 * GB)
    expect((await server().upload(token, name, archiveOf(site))).status).toBe(402)
    await client(token)('DELETE /projects/:name/deployments/:id', { params: { name, id: old!.id } })
    expect((await server().upload(token, name, archiveOf(site))).status).toBe(201)
  })

  it('of two uploads that fit alone but not together, the platform accepts exactly one', async () => {
    const { token, name } = await fullAccount()
    const other = (await client(token)('POST /projects', { body: { name: `${name}-b` } })).name
    const content = 'x'.repeat(1024 * 1024)
    await pretendSize(name, 5 * GB - 1.5 * content.length - 64 * 1024)
    const archive = archiveOf({ 'index.html': content })
    const answers = await Promise.all([
      server().upload(token, name, archive),
      server().upload(token, other, archive),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 402])
  })

  it('the platform counts the usage of an org separately, and that of a project for its new owner after a transfer', async () => {
    const { token, name } = await fullAccount()
    const org = `org-${name}`.slice(0, 40)
    await client(token)('POST /orgs', { body: { name: org } })
    const ofOrg = await deploySite(server(), token, site, org)
    await pretendSize(ofOrg, GB)
    const transfer = await server().request(`/projects/${name}/transfer`, {
      method: 'POST',
      token,
      body: { org },
    })
    expect([transfer.status, transfer.json.error.code]).toEqual([402, 'quota_exceeded'])
  })

  it('the platform counts the custom domains of a project for its new owner at a transfer', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, site)
    const org = `dom-${name}`.slice(0, 40)
    await client(token)('POST /orgs', { body: { name: org } })
    const ofOrg = await deploySite(server(), token, site, org)
    const add = async (project: string, count: number) => {
      for (let i = 0; i < count; i++) {
        const path = `/projects/${project}/domains`
        const body = { domain: `d${i}.${project}.example` }
        expect((await server().request(path, { method: 'POST', token, body })).status).toBe(201)
      }
    }
    await add(ofOrg, 24)
    await add(name, 2)
    const transfer = () =>
      server().request(`/projects/${name}/transfer`, { method: 'POST', token, body: { org } })
    const refused = await transfer()
    expect([refused.status, refused.json.error.code]).toEqual([402, 'quota_exceeded'])
    expect(refused.json.error.message).toContain('allows 25 domains, and 24 are used')
    await server().request(`/projects/${name}/domains/d0.${name}.example`, { method: 'DELETE', token })
    expect((await transfer()).status).toBe(200)
  })

  it('the platform limits the tokens of an account, but not its sign-ins', async () => {
    const { token } = await server().account()
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const made = Array.from({ length: 60 }, () =>
        server().request('/tokens', { method: 'POST', token, body: { kind: 'cli' } }),
      )
      statuses.push(...(await Promise.all(made)).map(({ status }) => status))
    }
    expect(statuses.filter(status => status === 201)).toHaveLength(199)
    const { json } = await server().request('/tokens', { method: 'POST', token, body: { kind: 'ai' } })
    expect(json.error.message).toBe(
      'The plan allows 200 tokens, and 200 are used. Revoke one, or change to a larger plan.',
    )
    const [newest] = (await client(token)('GET /tokens', { query: { limit: '1' } })).tokens
    await client(token)('DELETE /tokens/:id', { params: { id: newest!.id } })
    expect((await client(token)('POST /tokens', { body: { kind: 'cli' } })).kind).toBe('cli')
  })

  it('the platform limits how fast an account makes tokens, revoked ones included', async () => {
    const { token } = await server().account()
    const statuses = new Set<number>()
    for (let i = 0; i < 251; i++) {
      const { status, json } = await server().request('/tokens', {
        method: 'POST',
        token,
        body: { kind: 'cli' },
      })
      statuses.add(status)
      if (status === 201) await server().request(`/tokens/${json.id}`, { method: 'DELETE', token })
    }
    expect([...statuses]).toEqual([201, 429])
  })

  it('the platform takes no more submissions than the plan stores, and more after some are deleted', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, site)
    expect((await submit(server(), name, 'contact', { text: 'first' })).status).toBe(200)
    const key = { name, form: 'contact' }
    const rest = 250 * 1024 ** 2 - 100
    await db().updateTable('forms').set({ stored_bytes: rest }).where('name', '=', 'contact').execute()
    expect((await submit(server(), name, 'contact', { text: 'x'.repeat(200) })).status).toBe(503)
    await db().updateTable('forms').set({ stored_bytes: 0 }).where('name', '=', 'contact').execute()
    expect((await submit(server(), name, 'contact', { text: 'x'.repeat(200) })).status).toBe(200)
    const { submissions } = await client(token)('GET /projects/:name/forms/:form/submissions', {
      params: key,
    })
    const id = submissions[0]!.id
    await client(token)('DELETE /projects/:name/forms/:form/submissions/:id', { params: { ...key, id } })
    const left = await db().selectFrom('forms').select('stored_bytes').where('name', '=', 'contact').execute()
    expect(left.map(row => Number(row.stored_bytes))).toContain(0)
  })

  it('the platform refuses uploads while the disk is almost full, and still serves sites', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, site)
    const platform: { disk: Platform['disk'] } = server().running.platform
    const before = platform.disk
    platform.disk = {
      ...before,
      space: async () => ({ freeBytes: 10 * 1024 ** 2, totalBytes: 100 * GB }),
      reserveBytes: undefined,
      uses: async () => undefined,
    }
    try {
      const { status, json } = await server().upload(token, name, archiveOf({ 'index.html': 'new' }))
      expect([status, json.error.code]).toEqual([507, 'insufficient_storage'])
      expect(json.error.message).toContain('10 MB left, and keeps 1024 MB in reserve')
      expect((await server().site(name)).text).toBe('hello')
    } finally {
      platform.disk = before
    }
    expect((await server().upload(token, name, archiveOf({ 'index.html': 'new' }))).status).toBe(201)
  })
})

onEveryServer(
  server => {
    it('the platform applies no plan limits if billing is off', async () => {
      const { token } = await server().account()
      const name = await deploySite(server(), token, site)
      const { store } = server().running.platform
      await store.db
        .updateTable('deployments')
        .set({ size_bytes: 900 * GB })
        .execute()
      await checkTotals(store, { before: Number.MAX_SAFE_INTEGER, now: 1, atMost: 10_000 })
      expect((await server().upload(token, name, archiveOf(site))).status).toBe(201)
    })
  },
  { SVCD_BILLING: 'off' },
)
