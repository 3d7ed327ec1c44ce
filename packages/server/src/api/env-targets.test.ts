// Variables of one environment or of one branch, and secret ones.
import { expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { BuiltProject } from '../testing/builds.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  async function newProject() {
    const { name, token } = await TestApp.create(server())
    const call = (method: string, path: string, body?: unknown) =>
      server().request(`/projects/${name}/env${path}`, { method, token, body })
    const listed = async (query = '') =>
      (await call('GET', query)).json.env.map((it: Record<string, unknown>) => [
        it.key,
        it.value,
        it.branch ?? it.environments,
      ])
    return { name, token, call, listed }
  }
  const both = ['production', 'preview']

  it('one key has a variable for both environments, for each environment and for each branch', async () => {
    const { call, listed } = await newProject()
    await call('PUT', '/KEY', { value: 'of next', branch: 'next' })
    await call('PUT', '/KEY', { value: 'of production', environments: ['production'] })
    await call('PUT', '/KEY', { value: 'of previews', environments: ['preview'] })
    await call('PUT', '/KEY', { value: 'of both' })
    await call('PUT', '/KEY', { value: 'of a/b', environments: ['preview'], branch: 'a/b' })
    expect(await listed()).toEqual([
      ['KEY', 'of both', both],
      ['KEY', 'of previews', ['preview']],
      ['KEY', 'of production', ['production']],
      ['KEY', 'of a/b', 'a/b'],
      ['KEY', 'of next', 'next'],
    ])
    expect(await listed('?environment=production')).toEqual([
      ['KEY', 'of both', both],
      ['KEY', 'of production', ['production']],
    ])
    expect((await listed('?environment=preview')).map(([, value]: string[]) => value)).toEqual([
      ...['of both', 'of previews', 'of a/b', 'of next'],
    ])
    expect((await call('GET', '?environment=test')).json.error.code).toBe('invalid_request')
    await call('PUT', '/KEY', { value: 'changed', environments: ['preview', 'production'] })
    await call('PUT', '/KEY', { value: 'changed, too', branch: 'next' })
    expect(await listed()).toHaveLength(5)
    expect((await listed())[0]).toEqual(['KEY', 'changed', both])
    expect((await listed())[4]).toEqual(['KEY', 'changed, too', 'next'])
  })

  it('each variable of a key has a scope of its own, and the answer says which one was set', async () => {
    const { call } = await newProject()
    await call('PUT', '/KEY', { value: '1', scope: 'both' })
    const { json } = await call('PUT', '/KEY', { value: '2', environments: ['preview'] })
    expect(json).toEqual({
      ...{ key: 'KEY', scope: 'runtime', environments: ['preview'], branch: null, secret: false },
    })
    // A client that names none of them is answered as before.
    expect((await call('PUT', '/KEY', { value: '3' })).json).toEqual({ key: 'KEY', scope: 'both' })
  })

  it('DELETE removes the variable that its query names, and without a query all of the key', async () => {
    const { call, listed } = await newProject()
    const setAll = async () => {
      await call('PUT', '/KEY', { value: '1' })
      await call('PUT', '/KEY', { value: '2', environments: ['production'] })
      await call('PUT', '/KEY', { value: '3', environments: ['preview'] })
      await call('PUT', '/KEY', { value: '4', branch: 'next' })
    }
    await setAll()
    const values = async () => (await listed()).map(([, value]: string[]) => value)
    for (const [query, rest] of [
      ['?environment=production', ['1', '3', '4']],
      ['?branch=next', ['1', '3']],
      ['?environment=both', ['3']],
      ['?environment=preview', []],
    ] as const) {
      expect((await call('DELETE', `/KEY${query}`)).json).toEqual({ ok: true })
      expect(await values()).toEqual(rest)
      expect((await call('DELETE', `/KEY${query}`)).status).toBe(404)
    }
    await setAll()
    expect((await call('DELETE', '/KEY')).json).toEqual({ ok: true })
    expect(await values()).toEqual([])
  })

  it.each([
    { environments: [] },
    { environments: ['staging'] },
    { environments: 'preview' },
    { environments: ['production'], branch: 'next' },
    { branch: '' },
    { branch: 'a..b' },
    { branch: 'x'.repeat(256) },
    { secret: 'yes' },
  ])('the API refuses %j', async fields => {
    const { call, listed } = await newProject()
    const { status, json } = await call('PUT', '/KEY', { value: 'x', ...fields })
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    expect(await listed()).toEqual([])
  })

  it('the value of a secret variable is never answered, and a call without the field makes it readable', async () => {
    const { call } = await newProject()
    const answer = await call('PUT', '/TOKEN', { value: 'hunter2', secret: true })
    const list = await call('GET', '')
    expect(list.json.env).toMatchObject([{ key: 'TOKEN', value: null, secret: true }])
    const audit = await server().running.platform.store.db.selectFrom('audit').selectAll().execute()
    for (const text of [answer.text, list.text, JSON.stringify(audit)]) expect(text).not.toContain('hunter2')
    expect(audit.find(({ project_id, target }) => project_id && target === 'TOKEN')?.details).toContain(
      'secret',
    )
    await call('PUT', '/TOKEN', { value: 'plain' })
    expect((await call('GET', '')).json.env).toMatchObject([{ value: 'plain', secret: false }])
  })

  it('a value that was moved to another environment does not open', async () => {
    const { call } = await newProject()
    await call('PUT', '/MOVED', { value: 'of production', environments: ['production'] })
    const { db } = server().running.platform.store
    await db
      .updateTable('env_vars')
      .set({ environment: 'preview', branch: 'next' })
      .where('key', '=', 'MOVED')
      .execute()
    const { json } = await call('GET', '')
    expect(json.error.message).toContain('The value of MOVED (branch next) cannot be read')
  })

  it('an app gets the most specific variables of its environment, and a promoted one those of production', async () => {
    const app = await TestApp.create(server())
    const put = (key: string, body: Record<string, unknown>) =>
      server().request(`/projects/${app.name}/env/${key}`, { method: 'PUT', token: app.token, body })
    await put('WHERE', { value: 'both' })
    await put('WHERE', { value: 'production', environments: ['production'], secret: true })
    await put('WHERE', { value: 'next', branch: 'next' })
    await put('LEVEL', { value: 'both' })
    await put('LEVEL', { value: 'preview', environments: ['preview'] })
    await put('ONLY', { value: 'production', environments: ['production'] })
    await put('LEVEL', { value: 'of builds', scope: 'build', branch: 'next' })
    const live = await app.deploy(procfileApp('live'))
    const next = await app.deploy(procfileApp('next'), '?branch=next')
    const other = await app.deploy(procfileApp('other'), '?branch=other')
    const seen = async (id: string) => {
      const { WHERE, LEVEL, ONLY } = JSON.parse(await app.ask(id, '/env'))
      return [WHERE, LEVEL, ONLY]
    }
    expect(await seen(live)).toEqual(['production', 'both', 'production'])
    expect(await seen(next)).toEqual(['next', 'preview', undefined])
    expect(await seen(other)).toEqual(['both', 'preview', undefined])
    const move = (id: string, verb: string) =>
      server().request(`/projects/${app.name}/deployments/${id}/${verb}`, {
        method: 'POST',
        token: app.token,
      })
    expect((await move(next, 'promote')).status).toBe(200)
    await eventually(async () => (await seen(next))[0] === 'production')
    expect((await move(live, 'activate')).status).toBe(200)
    await eventually(async () => (await seen(next))[0] === 'next')
    await put('WHERE', { value: 'changed', branch: 'next' })
    await eventually(async () => (await seen(next))[0] === 'changed')
    expect(await seen(live)).toEqual(['production', 'both', 'production'])
  })

  it('a change restarts only the apps of its environment or branch', async () => {
    const app = await TestApp.create(server())
    const put = async (body: Record<string, unknown>) =>
      (await server().request(`/projects/${app.name}/env/KEY`, { method: 'PUT', token: app.token, body }))
        .json
    const live = await app.deploy(procfileApp('live'))
    const next = await app.deploy(procfileApp('next'), '?branch=next')
    const other = await app.deploy(procfileApp('other'), '?branch=other')
    const { db } = server().running.platform.store
    const instances = async (id: string) =>
      (await db.selectFrom('app_instances').select('id').where('deployment_id', '=', id).execute()).length
    const counts = async () => [await instances(live), await instances(next), await instances(other)]
    const seen = async (id: string) => JSON.parse(await app.ask(id, '/env')).KEY
    for (const id of [live, next, other]) expect(await seen(id)).toBeUndefined()
    expect(await counts()).toEqual([1, 1, 1])
    expect((await put({ value: 'of next', branch: 'next' })).restarting).toBe(true)
    await eventually(async () => (await seen(next)) === 'of next')
    expect((await put({ value: 'of previews', environments: ['preview'] })).restarting).toBe(true)
    await eventually(async () => (await seen(other)) === 'of previews')
    await eventually(async () => (await counts()).join() === '1,3,2')
    expect((await put({ value: 'of nobody', branch: 'nobody' })).restarting).toBeUndefined()
    expect((await put({ value: 'of production', environments: ['production'] })).restarting).toBe(true)
    await eventually(async () => (await seen(live)) === 'of production')
    expect(await counts()).toEqual([2, 3, 2])
    const { json } = await server().request(`/projects/${app.name}`, { token: app.token })
    expect(json.app).not.toHaveProperty('restart')
  })

  it('a build gets the variables of production or of its branch', async () => {
    const project = await BuiltProject.make(server(), { build_cmd: 'sh build.sh', output_dir: 'out' })
    await project.setEnv('WHERE', 'both')
    await project.setEnv('WHERE', 'production', { environments: ['production'] })
    await project.setEnv('WHERE', 'next', { branch: 'next' })
    const files = { 'build.sh': 'mkdir -p out && printf %s "in $WHERE" > out/index.html\n' }
    await project.build(files)
    expect((await server().site(project.name)).text).toBe('in production')
    await project.build({ 'a.txt': '1' }, 'next')
    expect((await server().site(`next--${project.name}`)).text).toBe('in next')
    await project.build({ 'a.txt': '2' }, 'other')
    expect((await server().site(`other--${project.name}`)).text).toBe('in both')
  })
})
