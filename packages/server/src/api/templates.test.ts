import { type ProjectFiles, planProject } from '@svc/contract/project'
import { describe, expect, it, onTestFinished } from 'vitest'
import { filesOfTemplate, templates } from '../core/builds/templates.ts'
import { eventually } from '../testing/eventually.ts'
import { WorkingCopy } from '../testing/git.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

/** How each template is built. Those without a build are deployed below; scripts/frameworks.mjs deploys all of them. */
const plans: Record<string, { build?: string; start?: boolean }> = {
  html: {},
  form: {},
  'vite-react': { build: 'npm run build' },
  astro: { build: 'npm run build' },
  eleventy: { build: 'npm run build' },
  nextjs: { build: 'npm run build', start: true },
  sveltekit: { build: 'npm run build' },
  hono: { start: true },
}

describe('the templates', () => {
  it('are the ones that have a folder and a plan', () => {
    expect(templates.map(({ name }) => name).sort()).toEqual(Object.keys(plans).sort())
  })

  it.each(templates)('the files of $name give the plan of its framework', async ({ name }) => {
    const files = filesOfTemplate(name)
    const paths = [...files.keys()]
    const project: ProjectFiles = {
      hasFile: async path => files.has(path),
      hasFolder: async path => paths.some(file => file.startsWith(`${path}/`)),
      read: async path => files.get(path)?.toString(),
      folders: async () => [],
    }
    const plan = await planProject(project, { dir: '' })
    expect({ build: plan.build?.typed, start: plan.start !== undefined }).toEqual({
      build: plans[name]?.build,
      start: plans[name]?.start ?? false,
    })
    const manifest = JSON.parse(files.get('package.json')?.toString() ?? '{"name":null}')
    expect(manifest.name).toBe(manifest.name === null ? null : name)
    if (manifest.name !== null) expect(files.get('.gitignore')?.toString()).toContain('node_modules')
  })
})

onEveryServer(server => {
  const newProject = async (who: { token: string }, more: Record<string, unknown> = {}) => {
    const name = freshName()
    await send(server(), 'POST /projects', who, { name, ...more })
    return name
  }

  it('are listed, and their files can be read', async () => {
    const who = await server().account()
    expect((await send(server(), 'GET /templates', who)).json.templates).toEqual(templates)
    const { files } = (await send(server(), 'GET /templates/html', who)).json
    expect(files.map(({ path }: { path: string }) => path)).toContain('index.html')
    for (const name of ['nope', '..', '%2e%2e%2f'])
      expect((await send(server(), `GET /templates/${name}`, who)).status).toBe(404)
  })

  it.each(['html', 'form'])('%s becomes a repository, is built, and goes live', async template => {
    const who = await server().account()
    const name = await newProject(who)
    const made = await send(server(), `POST /projects/${name}/template`, who, { template })
    expect(made).toMatchObject({ status: 201, json: { repo: `${who.login}/${name}`, forge: 'builtin' } })
    const build = async () =>
      (await send(server(), `GET /projects/${name}/builds/${made.json.build_id}`, who)).json
    await eventually(async () => (await build()).status === 'succeeded')
    const copy = await WorkingCopy.make(server(), who.token, `${who.login}/${name}`)
    onTestFinished(() => copy.remove())
    expect(await copy.git('pull', 'origin', 'main')).toMatchObject({ code: 0 })
    expect(await copy.git('fsck', '--strict')).toMatchObject({ code: 0 })
    const { stdout } = await copy.git('ls-files')
    expect(stdout.trim().split('\n').sort()).toEqual([...filesOfTemplate(template).keys()].sort())
    const { deployments } = (await send(server(), `GET /projects/${name}`, who)).json
    expect(deployments[0]).toMatchObject({ status: 'live' })
  })

  it('a push after it is built like any other', async () => {
    const who = await server().account()
    const name = await newProject(who)
    await send(server(), `POST /projects/${name}/template`, who, { template: 'html' })
    const copy = await WorkingCopy.make(server(), who.token, `${who.login}/${name}`)
    onTestFinished(() => copy.remove())
    await copy.git('pull', 'origin', 'main')
    await copy.commit({ 'index.html': 'changed' })
    expect((await copy.git('push', 'origin', 'main')).code).toBe(0)
    expect((await send(server(), `GET /projects/${name}/builds`, who)).json.builds).toHaveLength(2)
  })

  it('a member begins a project of the org with one; the repository is of the org', async () => {
    const team = await makeTeam(server())
    const name = await newProject(team.owner, { org: team.org })
    const path = `POST /projects/${name}/template` as const
    expect((await send(server(), path, team.outsider, { template: 'html' })).status).toBe(404)
    const made = await send(server(), path, team.member, { template: 'html' })
    expect(made).toMatchObject({ status: 201, json: { repo: `${team.org}/${name}` } })
  })

  it('is refused where a repository is in the way, and for a template that does not exist', async () => {
    const who = await server().account()
    const name = await newProject(who)
    const begin = (template: string) => send(server(), `POST /projects/${name}/template`, who, { template })
    expect(await begin('nope')).toMatchObject({ status: 404 })
    expect(await begin('html')).toMatchObject({ status: 201 })
    expect(await begin('html')).toMatchObject({
      status: 409,
      json: { error: { code: 'repository_in_use' } },
    })
    await send(server(), `DELETE /projects/${name}/repo`, who)
    expect(await begin('html')).toMatchObject({ status: 409, json: { error: { code: 'name_taken' } } })
  })
})
