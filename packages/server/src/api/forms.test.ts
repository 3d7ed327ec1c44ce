import { describe, expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { submit, submitJson } from '../testing/forms.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'
import { makeTeam } from '../testing/team.ts'

const day = 86_400_000

onEveryServer(server => {
  async function newSite() {
    const owner = await server().account()
    const name = await deploySite(server(), owner.token, { 'index.html': 'hello' })
    const forms = `/projects/${name}/forms` as const
    return { owner, name, forms }
  }

  describe('submissions', () => {
    it('are listed page by page, newest first', async () => {
      const { owner, name, forms } = await newSite()
      for (let n = 1; n <= 5; n++) {
        await submitJson(server(), name, 'contact', { n })
        server().clock.advance(1)
      }
      const first = await send(server(), `GET ${forms}/contact/submissions?limit=3`, owner)
      const n = (json: { submissions: { fields: { n: number } }[] }) =>
        json.submissions.map(({ fields }) => fields.n)
      expect(n(first.json)).toEqual([5, 4, 3])
      const cursor = first.json.next_cursor
      const second = await send(server(), `GET ${forms}/contact/submissions?limit=3&cursor=${cursor}`, owner)
      expect([n(second.json), second.json.next_cursor]).toEqual([[2, 1], null])
    })

    it('are deleted one by one, and the form stays', async () => {
      const { owner, name, forms } = await newSite()
      await submitJson(server(), name, 'contact', {})
      const { json } = await send(server(), `GET ${forms}/contact/submissions`, owner)
      const path = `DELETE ${forms}/contact/submissions/${json.submissions[0].id}` as const
      expect((await send(server(), path, owner)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), path, owner))).toBe('404 not_found')
      const { json: list } = await send(server(), `GET ${forms}`, owner)
      expect(list.forms).toMatchObject([{ name: 'contact', submissions: 0, last_submission_at: null }])
    })

    it('go with their form, and with their project', async () => {
      const { owner, name, forms } = await newSite()
      await submitJson(server(), name, 'contact', {})
      await submitJson(server(), name, 'other', {})
      expect((await send(server(), `DELETE ${forms}/contact`, owner)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), `DELETE ${forms}/contact`, owner))).toBe('404 not_found')
      expect(refusal(await send(server(), `GET ${forms}/contact/submissions`, owner))).toBe('404 not_found')
      await send(server(), `DELETE /projects/${name}`, owner)
      const { db } = server().running.platform.store
      expect(await db.selectFrom('submissions').selectAll().where('form', '=', 'other').execute()).toEqual([])
    })

    it('are for those who may see the project', async () => {
      const team = await makeTeam(server())
      const name = await deploySite(server(), team.owner.token, { 'index.html': 'x' }, team.org)
      await submitJson(server(), name, 'contact', {})
      const path = `GET /projects/${name}/forms/contact/submissions` as const
      expect((await send(server(), path, team.member)).status).toBe(200)
      expect(refusal(await send(server(), path, team.outsider))).toBe('404 not_found')
      expect(refusal(await send(server(), path))).toBe('401 unauthorized')
    })
  })

  describe('the export', () => {
    const exported = async (name: string, token: string) =>
      server().request(`/projects/${name}/forms/contact/export`, { token })

    it('is CSV with a column for every field that any submission has', async () => {
      const { owner, name } = await newSite()
      await submit(server(), name, 'contact', { name: 'Ada, "the" first', old: 'x' })
      server().clock.advance(1)
      await submitJson(server(), name, 'contact', { name: 'Bob\nB', n: 2, tags: ['a', 'b'], country: 'yes' })
      const { headers, text } = await exported(name, owner.token)
      expect(headers['content-type']).toBe('text/csv; charset=utf-8')
      expect(headers['content-disposition']).toBe(`attachment; filename="${name}-contact.csv"`)
      const [header, ...rows] = text.split('\r\n')
      expect(header).toBe('id,created_at,country,referrer,name,n,tags,fields.country,old')
      expect(rows[0]).toMatch(/^sub_[a-z0-9]{16},[^,]*Z,,,"Bob\nB",2,a; b,yes,$/)
      expect(rows[1]).toMatch(/^sub_[a-z0-9]{16},[^,]*Z,,,"Ada, ""the"" first",,,,x$/)
      expect(rows.slice(2)).toEqual([''])
    })

    it('has nothing in it that a spreadsheet would run', async () => {
      const { owner, name } = await newSite()
      const cells = { a: '=1+1', b: '@SUM(A1)', c: '+cmd|x', d: '-2+3', e: '\t=1', f: '-5', g: '+49' }
      await submit(server(), name, 'contact', { ...cells, '=evil': 'x' })
      const { text } = await exported(name, owner.token)
      const [header, row] = text.split('\r\n')
      expect(header).toMatch(/,'=evil$/)
      expect(row).toMatch(/,'=1\+1,'@SUM\(A1\),'\+cmd\|x,'-2\+3,'\t=1,-5,\+49,x$/)
    })

    it('holds every submission, however many there are', async () => {
      const { owner, name } = await newSite()
      await submitJson(server(), name, 'contact', { first: 'yes' })
      const { db } = server().running.platform.store
      const one = await db
        .selectFrom('submissions')
        .innerJoin('projects', 'projects.id', 'submissions.project_id')
        .selectAll('submissions')
        .where('projects.name', '=', name)
        .executeTakeFirstOrThrow()
      const many = Array.from({ length: 450 }, (_, i) => ({
        ...one,
        id: `sub_${String(i).padStart(16, '0')}`,
        fields: JSON.stringify({ [`late${i % 3}`]: i }),
        created_at: one.created_at - 1 - i,
      }))
      for (let i = 0; i < many.length; i += 50)
        await db
          .insertInto('submissions')
          .values(many.slice(i, i + 50))
          .execute()
      const lines = (await exported(name, owner.token)).text.trimEnd().split('\r\n')
      expect(lines).toHaveLength(452)
      expect(lines[0]).toBe('id,created_at,country,referrer,first,late0,late1,late2')
      expect(new Set(lines.slice(1).map(line => line.split(',')[0])).size).toBe(451)
    })

    it('puts fields whose names are no headings into one last column', async () => {
      const { owner, name } = await newSite()
      const long = 'x'.repeat(100_000)
      await submitJson(server(), name, 'contact', { a: 1, [long]: 2 })
      const [header, row] = (await exported(name, owner.token)).text.split('\r\n')
      expect(header).toBe('id,created_at,country,referrer,a,other fields')
      expect(row).toMatch(/,1,"{""x+"":2}"$/)
    })

    it('of a form that does not exist is a 404', async () => {
      const { owner, name } = await newSite()
      expect(refusal(await exported(name, owner.token))).toBe('404 not_found')
    })
  })

  describe('the settings of a form', () => {
    it('are changed one by one, and the change is in the log', async () => {
      const { owner, name, forms } = await newSite()
      await submitJson(server(), name, 'contact', {})
      const patch = (body: unknown) => send(server(), `PATCH ${forms}/contact`, owner, body)
      expect((await patch({ notify: 'ada@example.com' })).json).toMatchObject({
        name: 'contact',
        submissions: 1,
        notify: 'ada@example.com',
        retention_days: null,
      })
      // The test's platform has no mail server.
      expect((await patch({})).json.sends_email).toBe(false)
      expect((await patch({ retention_days: 30 })).json).toMatchObject({
        notify: 'ada@example.com',
        retention_days: 30,
      })
      expect((await patch({ notify: 'on', retention_days: null })).json).toMatchObject({
        notify: 'on',
        retention_days: null,
      })
      expect((await patch({})).status).toBe(200)
      const { json } = await send(server(), `GET /projects/${name}/audit`, owner)
      expect(json.entries.slice(0, 3)).toMatchObject([
        { action: 'form.update', target: 'contact', details: { notify: 'on', retention_days: null } },
        { action: 'form.update', details: { retention_days: 30 } },
        { action: 'form.update', details: { notify: 'ada@example.com' } },
      ])
    })

    it.each([
      [{ notify: 'maybe' }, /^notify: must be on, off or an email address/],
      [{ retention_days: 0 }, /^retention_days: must be a whole number from 1 to 3650, or null$/],
      [{ retention_days: 3651 }, /^retention_days: /],
      [{ retention_days: 1.5 }, /^retention_days: /],
    ])('are refused where they make no sense: %j', async (body, message) => {
      const { owner, name, forms } = await newSite()
      await submitJson(server(), name, 'contact', {})
      const answer = await send(server(), `PATCH ${forms}/contact`, owner, body)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.json.error.message).toMatch(message)
    })

    it('need a form that exists', async () => {
      const { owner, forms } = await newSite()
      const answer = await send(server(), `PATCH ${forms}/contact`, owner, { notify: 'on' })
      expect(refusal(answer)).toBe('404 not_found')
    })

    it('say when a submission goes: after so many days, and not before', async () => {
      const { owner, name, forms } = await newSite()
      await submitJson(server(), name, 'contact', { n: 'old' })
      await submitJson(server(), name, 'kept', { n: 'old' })
      await send(server(), `PATCH ${forms}/contact`, owner, { retention_days: 2 })
      server().clock.advance(day)
      await submitJson(server(), name, 'contact', { n: 'new' })
      const left = async () => {
        await sweep(server().running.platform)
        const { json } = await send(server(), `GET ${forms}`, owner)
        return json.forms.map((form: { submissions: number }) => form.submissions)
      }
      expect(await left()).toEqual([2, 1])
      server().clock.advance(day + 1)
      expect(await left()).toEqual([1, 1])
      server().clock.advance(day)
      expect(await left()).toEqual([0, 1])
    })
  })
})
