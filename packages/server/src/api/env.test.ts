import { limits } from '@svc/contract'
import { expect, it } from 'vitest'
import { SealKey } from '../lib/seal.ts'
import { onEveryServer } from '../testing/server.ts'

let counter = 0
const plain = { environments: ['production', 'preview'], branch: null, secret: false }

onEveryServer(
  server => {
    async function newProject() {
      const { token, login } = await server().account()
      const name = `env-${process.pid}-${++counter}`
      await server().request('/projects', { method: 'POST', token, body: { name } })
      const put = (key: string, body: unknown) =>
        server().request(`/projects/${name}/env/${encodeURIComponent(key)}`, { method: 'PUT', token, body })
      const list = () => server().request(`/projects/${name}/env`, { token })
      const remove = (key: string) =>
        server().request(`/projects/${name}/env/${key}`, { method: 'DELETE', token })
      return { token, login, name, put, list, remove }
    }
    const rows = () => server().running.platform.store.db.selectFrom('env_vars').selectAll()

    it('the API keeps variables, sorted by key, with their values', async () => {
      const { put, list } = await newProject()
      expect((await list()).json).toEqual({ env: [] })
      expect((await put('b_lower', { value: 'ünï ✓\nline two' })).json).toEqual({
        key: 'b_lower',
        scope: 'runtime',
      })
      await put('_A', { value: '' })
      await put('ZED', { value: 'z', scope: 'build' })
      const { json, headers } = await list()
      expect(json.env).toEqual([
        { key: 'ZED', value: 'z', scope: 'build', ...plain, updated_at: expect.stringMatching(/Z$/) },
        { key: '_A', value: '', scope: 'runtime', ...plain, updated_at: expect.any(String) },
        {
          key: 'b_lower',
          value: 'ünï ✓\nline two',
          scope: 'runtime',
          ...plain,
          updated_at: expect.any(String),
        },
      ])
      expect(headers['cache-control']).toBe('no-store')
    })

    it('a variable keeps its scope if a change gives none', async () => {
      const { put, list } = await newProject()
      await put('KEY', { value: '1', scope: 'both' })
      expect((await put('KEY', { value: '2' })).json).toMatchObject({ key: 'KEY', scope: 'both' })
      expect((await put('KEY', { value: '3', scope: 'build' })).json).toMatchObject({
        key: 'KEY',
        scope: 'build',
      })
      expect((await list()).json.env).toMatchObject([{ key: 'KEY', value: '3', scope: 'build' }])
    })

    it('a variable is removed once', async () => {
      const { put, list, remove } = await newProject()
      await put('KEY', { value: '1' })
      expect((await remove('KEY')).json).toEqual({ ok: true })
      expect((await remove('KEY')).json.error.code).toBe('not_found')
      expect((await list()).json.env).toEqual([])
    })

    it.each([
      ['1KEY', { value: 'x' }, /^key: /],
      ['MY-KEY', { value: 'x' }, /^key: /],
      ['MY KEY', { value: 'x' }, /^key: /],
      ['ÄPFEL', { value: 'x' }, /^key: /],
      ['K'.repeat(129), { value: 'x' }, /^key: /],
      ['PORT', { value: 'x' }, /PORT is set by the platform/],
      ['HOSTNAME', { value: 'x' }, /HOSTNAME is set by the platform/],
      ['KEY', {}, /^value: /],
      ['KEY', { value: 1 }, /^value: /],
      ['KEY', { value: 'x', scope: 'everywhere' }, /^scope: /],
      ['KEY', { value: 'a\0b' }, /NUL/],
      ['KEY', { value: 'x'.repeat(65_537) }, /64 KB/],
      ['KEY', { value: 'é'.repeat(32_769) }, /64 KB/],
      ['KEY', { value: '\ud800' }, /Unicode/],
    ])('the API refuses %.20s with %.40j', async (key, body, words) => {
      const { put, list } = await newProject()
      const { status, json } = await put(key, body)
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      expect(json.error.message).toMatch(words)
      expect((await list()).json.env).toEqual([])
    })

    it('the API takes the longest key and the longest value that are allowed', async () => {
      const { put, list } = await newProject()
      const [key, value] = ['K'.repeat(128), 'é'.repeat(32_768)]
      expect((await put(key, { value })).status).toBe(200)
      expect((await list()).json.env).toMatchObject([{ key, value }])
    })

    it('a project has no more variables than the limit, also with requests at the same time', async () => {
      const { put, list, name } = await newProject()
      await put('FIRST', { value: 'x' })
      const { db } = server().running.platform.store
      const first = await db
        .selectFrom('env_vars')
        .innerJoin('projects', 'projects.id', 'env_vars.project_id')
        .selectAll('env_vars')
        .where('projects.name', '=', name)
        .executeTakeFirstOrThrow()
      const { keyring } = server().running.platform
      for (let i = 1; i < limits.envVariables - 2; i++) {
        const key = `FILLER_${i}`
        const sealed = keyring.current.seal('x', ['env', first.project_id, key])
        await db
          .insertInto('env_vars')
          .values({ ...first, ...sealed, key })
          .execute()
      }
      const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => put(`LATE_${i}`, { value: 'x' })))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400, 400, 400, 400])
      expect((await list()).json.env).toHaveLength(limits.envVariables)
      expect((await put('FIRST', { value: 'still changes' })).status).toBe(200)
    })

    it('the values of a project may have one megabyte in all', async () => {
      const { put } = await newProject()
      const value = 'x'.repeat(limits.envValueBytes)
      for (let i = 0; i < 16; i++) expect((await put(`LONG_${i}`, { value })).status).toBe(200)
      const { status, json } = await put('LONG_16', { value })
      expect([status, json.error.code]).toEqual([402, 'quota_exceeded'])
      expect((await put('LONG_0', { value })).status).toBe(200)
    })

    it('the variables of a project are hidden from other accounts', async () => {
      const { put, name } = await newProject()
      await put('KEY', { value: 'secret' })
      const other = await server().account()
      for (const [method, path] of [
        ['GET', 'env'],
        ['PUT', 'env/KEY'],
        ['DELETE', 'env/KEY'],
      ] as const) {
        const target = `/projects/${name}/${path}`
        const body = method === 'PUT' ? { value: 'x' } : undefined
        expect((await server().request(target, { method, token: other.token, body })).status).toBe(404)
        expect((await server().request(target, { method, body })).status).toBe(401)
      }
    })

    it('values are stored sealed and never logged, and the audit log says what was done', async () => {
      const { put, remove, login } = await newProject()
      await put('AUDITED', { value: 'hunter2', scope: 'both' })
      const [row] = await rows().where('key', '=', 'AUDITED').execute()
      expect(JSON.stringify(row)).not.toContain('hunter2')
      expect(Buffer.from(row?.sealed ?? '', 'base64').toString('latin1')).not.toContain('hunter2')
      await remove('AUDITED')
      const { db } = server().running.platform.store
      const log = await db.selectFrom('audit').selectAll().where('target', '=', 'AUDITED').execute()
      expect(log.map(({ actor, action, details }) => [actor, action, details]).sort()).toEqual([
        [login, 'env.delete', '{}'],
        [login, 'env.set', '{"scope":"both"}'],
      ])
    })

    it('the API names the values that it cannot open, and lets them be set again', async () => {
      const { put, list } = await newProject()
      await put('GOOD', { value: '1' })
      await put(`LOST_${counter}`, { value: '2' })
      const foreign = SealKey.fresh().seal('x', ['anywhere'])
      const { db } = server().running.platform.store
      await db.updateTable('env_vars').set(foreign).where('key', '=', `LOST_${counter}`).execute()
      const { status, json } = await list()
      expect([status, json.error.code]).toEqual([500, 'internal'])
      expect(json.error.message).toContain(`The value of LOST_${counter} cannot be read`)
      expect(json.error.message).toContain(foreign.key_id)
      await put(`LOST_${counter}`, { value: '3' })
      expect((await list()).json.env).toMatchObject([{ value: '1' }, { value: '3' }])
    })

    it('a value that was moved to another row does not open', async () => {
      const { put, list } = await newProject()
      await put(`MINE_${counter}`, { value: 'mine' })
      await put(`YOURS_${counter}`, { value: 'yours' })
      const [mine] = await rows().where('key', '=', `MINE_${counter}`).execute()
      const { db } = server().running.platform.store
      await db
        .updateTable('env_vars')
        .set({ sealed: mine!.sealed })
        .where('key', '=', `YOURS_${counter}`)
        .execute()
      expect((await list()).json.error.message).toContain(`The value of YOURS_${counter} cannot be read`)
    })
  },
  { SVCD_LOG_LEVEL: 'silent' },
)
