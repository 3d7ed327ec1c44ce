import { describe, expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { archiveOf } from '../testing/archives.ts'
import { newGitProject } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { newSite } from '../testing/sites.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  /** A site whose production says `production` and whose branch `next` says `next`. */
  async function newBranchSite() {
    const { owner, name, path, activate, ...site } = await newSite(server())
    const upload = (text: string, query?: string) => site.upload({ 'index.html': text }, query)
    const production = await upload('production')
    const next = await upload('next', '?branch=next')
    const promote = (id: string) => send(server(), `POST ${path}/deployments/${id}/promote`, owner)
    const shown = async () => [
      (await server().site(name)).text,
      (await server().site(`next--${name}`)).text,
      (await server().site(`${next.replace('_', '-')}--${name}`)).text,
    ]
    const detail = async () => (await send(server(), `GET ${path}`, owner)).json
    return { owner, name, path, upload, production, next, promote, activate, shown, detail }
  }

  describe('promoting a branch deployment', () => {
    it('makes it live, and leaves it at the URL of its branch and at its own', async () => {
      const site = await newBranchSite()
      const answer = await site.promote(site.next)
      expect(answer.json).toEqual({
        ok: true,
        active_deployment_id: site.next,
        previous_deployment_id: site.production,
      })
      expect(await site.shown()).toEqual(['next', 'next', 'next'])
      const { deployments, active_deployment_id } = await site.detail()
      expect(active_deployment_id).toBe(site.next)
      const statuses = deployments.map(({ id, status }: { id: string; status: string }) => [id, status])
      expect(Object.fromEntries(statuses)).toEqual({ [site.next]: 'live', [site.production]: 'superseded' })
      const { headers } = await server().site(`next--${site.name}`)
      expect(headers['x-robots-tag']).toBe('noindex')
      expect((await server().site(site.name)).headers['x-robots-tag']).toBeUndefined()
      const [entry] = (await send(server(), `GET ${site.path}/audit`, site.owner)).json.entries
      expect(entry).toMatchObject({
        action: 'deployment.promote',
        target: site.next,
        details: { branch: 'next' },
      })
    })

    it('is taken back by a rollback, and can be repeated', async () => {
      const site = await newBranchSite()
      await site.promote(site.next)
      await site.promote(site.next)
      expect((await site.activate(site.production)).status).toBe(200)
      expect(await site.shown()).toEqual(['production', 'next', 'next'])
      expect((await site.activate(site.next)).status).toBe(200)
      expect(await site.shown()).toEqual(['next', 'next', 'next'])
    })

    it('leaves the branch to its newer deployments, and production to the next upload', async () => {
      const site = await newBranchSite()
      await site.promote(site.next)
      await site.upload('next 2', '?branch=next')
      expect(await site.shown()).toEqual(['next', 'next 2', 'next'])
      await site.upload('production 2')
      expect(await site.shown()).toEqual(['production 2', 'next 2', 'next'])
    })

    it('keeps what a domain of the branch shows, pinned', async () => {
      const site = await newBranchSite()
      const domain = `${freshName()}.example.com`
      await send(server(), `POST ${site.path}/domains`, site.owner, { domain, branch: 'next' })
      await site.promote(site.next)
      const visit = async () => (await server().request('/', { host: domain })).text
      expect(await visit()).toBe('next')
      await site.activate(site.production)
      const remove = `DELETE ${site.path}/deployments/${site.next}` as const
      expect(refusal(await send(server(), remove, site.owner))).toBe('409 deployment_pinned')
      await send(server(), `PUT ${site.path}/domains/${domain}`, site.owner, { branch: null })
      await send(server(), `PUT ${site.path}/domains/${domain}`, site.owner, { branch: 'next' })
      expect(await visit()).toBe('next')
    })

    it('is refused for what is not online, and activate still refuses a branch deployment', async () => {
      const site = await newBranchSite()
      expect(refusal(await site.activate(site.next))).toBe('409 not_activatable')
      expect(refusal(await site.promote('dep_0123456789abcdef'))).toBe('404 not_found')
      await server().upload(site.owner.token, site.name, Buffer.from('no archive'))
      const [failed] = (await site.detail()).deployments
      expect(failed.status).toBe('failed')
      expect(refusal(await site.promote(failed.id))).toBe('409 not_activatable')
      expect(await site.shown()).toEqual(['production', 'next', 'next'])
    })

    it('is refused for the pull request of a fork', async () => {
      const site = await newBranchSite()
      const { db } = server().running.platform.store
      await db.updateTable('deployments').set({ from_fork: 1 }).where('id', '=', site.next).execute()
      const refused = await site.promote(site.next)
      expect(refusal(refused)).toBe('409 not_activatable')
      expect(refused.json.error.message).toContain('Merge the pull request')
    })

    it('is for members, and for no deploy token', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      await send(server(), 'POST /projects', team.member, { name, org: team.org })
      const archive = archiveOf({ 'index.html': 'next' })
      const uploaded = await server().upload(team.member.token, name, archive, '?branch=next')
      const promote = `POST /projects/${name}/deployments/${uploaded.json.deployment_id}/promote` as const
      expect(refusal(await send(server(), promote, team.outsider))).toBe('404 not_found')
      const made = await send(server(), `POST /orgs/${team.org}/tokens`, team.owner, { kind: 'deploy' })
      expect(refusal(await send(server(), promote, made.json))).toBe('401 unauthorized')
      expect((await send(server(), promote, team.member)).json.previous_deployment_id).toBeNull()
    })
  })

  describe('promoting a server app', () => {
    const promote = (app: TestApp, id: string) =>
      send(server(), `POST /projects/${app.name}/deployments/${id}/promote`, app)

    it('starts it before visitors are sent to it', async () => {
      const app = await TestApp.create(server())
      await app.deploy(procfileApp('production'))
      const next = await app.deploy(procfileApp('next'), '?branch=next')
      await app.sleep(next)
      expect((await promote(app, next)).status).toBe(200)
      expect(await app.states(next)).toContain('ready')
      expect((await server().site(app.name)).text).toBe('next')
      expect((await server().site(`next--${app.name}`)).text).toBe('next')
      expect(await app.detail()).toMatchObject({ kind: 'server', app: { state: 'running' } })
    })

    it('leaves production as it is where the app does not come up, and says what the app said', async () => {
      const app = await TestApp.create(server())
      const production = await app.deploy(procfileApp('production'))
      const script = `if (process.env.BREAK) { console.error('no database here'); process.exit(3) }
        require('node:http').createServer((q, s) => s.end('next')).listen(process.env.PORT, process.env.HOSTNAME)`
      const next = await app.deploy(procfileApp('next', script), '?branch=next')
      await app.sleep(next)
      await app.put('BREAK', '1')
      const refused = await promote(app, next)
      expect(refusal(refused)).toBe('422 deployment_failed')
      expect(refused.json.error.message).toContain('no database here')
      expect((await app.detail()).active_deployment_id).toBe(production)
      expect((await server().site(app.name)).text).toBe('production')
    })
  })

  describe('a branch that is deleted', () => {
    it('takes its previews along, and leaves live what was promoted from it', async () => {
      const { copy, push, path, owner, name, builds } = await newGitProject(server())
      await copy.commit({ 'index.html': 'production' })
      await push('main')
      await copy.commit({ 'index.html': 'next' })
      await push('main:next')
      const [build] = await builds()
      await copy.commit({ 'index.html': 'next 2' })
      await push('main:next')
      const [later] = await builds()
      await send(server(), `POST ${path}/deployments/${build.deployment_id}/promote`, owner)
      await push('--delete', 'next')
      expect((await server().site(name)).text).toBe('next')
      expect((await server().site(`next--${name}`)).status).toBe(404)
      const { deployments } = (await send(server(), `GET ${path}`, owner)).json
      const ids = deployments.map(({ id }: { id: string }) => id)
      expect(ids).toContain(build.deployment_id)
      expect(ids).not.toContain(later.deployment_id)
      await copy.remove()
    })
  })
})
