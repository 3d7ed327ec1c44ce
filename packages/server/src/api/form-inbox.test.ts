import { describe, expect, it } from 'vitest'
import { submit, submitJson } from '../testing/forms.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

onEveryServer(server => {
  /** A site with a form that has received `count` submissions, numbered from 1. */
  async function newForm(count: number) {
    const owner = await server().account()
    const name = await deploySite(server(), owner.token, { 'index.html': 'hello' })
    const path = `/projects/${name}/forms` as const
    for (let n = 1; n <= count; n++) {
      await submitJson(server(), name, 'contact', { n })
      server().clock.advance(1)
    }
    const list = async (show = '') => {
      const query = show && `?show=${show}`
      const { json } = await send(server(), `GET ${path}/contact/submissions${query}`, owner)
      return json.submissions as { id: string; fields: { n: number }; read: boolean; spam: boolean }[]
    }
    return {
      owner,
      name,
      path,
      list,
      numbers: async (show = '') => (await list(show)).map(({ fields }) => fields.n),
      form: async () => (await send(server(), `GET ${path}`, owner)).json.forms[0],
      mark: (id: string, marks: object) =>
        send(server(), `PATCH ${path}/contact/submissions/${id}`, owner, marks),
    }
  }

  describe('a submission', () => {
    it('is unread until it is marked as read, and can be made unread again', async () => {
      const { list, numbers, form, mark } = await newForm(3)
      expect(await form()).toMatchObject({ submissions: 3, unread: 3, spam: 0 })
      const [newest] = await list()
      expect(newest).toMatchObject({ read: false, spam: false })
      const answer = await mark(newest!.id, { read: true })
      expect([answer.status, answer.json]).toEqual([200, { ...newest, read: true }])
      expect([await numbers(), await numbers('unread'), (await form()).unread]).toEqual([
        [3, 2, 1],
        [2, 1],
        2,
      ])
      await mark(newest!.id, { read: false })
      expect([await numbers('unread'), (await form()).unread]).toEqual([[3, 2, 1], 3])
    })

    it('is in a list of its own while it is marked as spam, and not in the export', async () => {
      const { owner, path, list, numbers, form, mark } = await newForm(2)
      const [newest] = await list()
      expect((await mark(newest!.id, { spam: true })).json).toMatchObject({ spam: true, read: true })
      expect([await numbers(), await numbers('spam'), await numbers('unread')]).toEqual([[1], [2], [1]])
      expect(await form()).toMatchObject({ submissions: 1, unread: 1, spam: 1 })
      const exported = await send(server(), `GET ${path}/contact/export`, owner)
      expect([exported.text.includes(newest!.id), exported.text.trimEnd().split('\r\n').length]).toEqual([
        false,
        2,
      ])
      await mark(newest!.id, { spam: false })
      expect([await numbers(), await numbers('spam'), await numbers('unread')]).toEqual([[2, 1], [], [1]])
      expect((await send(server(), `DELETE ${path}/contact/submissions/${newest!.id}`, owner)).status).toBe(
        200,
      )
    })

    it('is marked only where it belongs, and only with what is known', async () => {
      const [one, other] = [await newForm(1), await newForm(1)]
      const [foreign] = await other.list()
      expect(refusal(await one.mark(foreign!.id, { spam: true }))).toBe('404 not_found')
      expect(await other.list()).toEqual([foreign])
      const [own] = await one.list()
      for (const marks of [{ read: 'yes' }, { spam: 1 }, { read: null }])
        expect(refusal(await one.mark(own!.id, marks))).toBe('400 invalid_request')
      expect((await one.mark(own!.id, {})).json).toEqual(own)
      const stranger = { token: other.owner.token }
      const path = `PATCH ${one.path}/contact/submissions/${own!.id}` as const
      expect(refusal(await send(server(), path, stranger, { spam: true }))).toBe('404 not_found')
    })
  })

  it('all submissions of a form are marked as read at once, spam and other forms aside', async () => {
    const { owner, name, path, numbers, form } = await newForm(3)
    await submitJson(server(), name, 'other', { n: 9 })
    expect((await send(server(), `POST ${path}/contact/read`, owner)).json).toEqual({ ok: true })
    expect([await numbers('unread'), (await form()).unread]).toEqual([[], 0])
    const { json } = await send(server(), `GET ${path}`, owner)
    expect(json.forms).toMatchObject([
      { name: 'contact', unread: 0 },
      { name: 'other', unread: 1 },
    ])
    expect(refusal(await send(server(), `POST ${path}/unknown/read`, owner))).toBe('404 not_found')
  })

  it('unread submissions are listed page by page', async () => {
    const { owner, path, list, mark } = await newForm(5)
    await mark((await list())[1]!.id, { read: true })
    const first = await send(server(), `GET ${path}/contact/submissions?show=unread&limit=3`, owner)
    const rest =
      `GET ${path}/contact/submissions?show=unread&limit=3&cursor=${first.json.next_cursor}` as const
    const second = await send(server(), rest, owner)
    const numbers = [first, second].map(({ json }) =>
      json.submissions.map(({ fields }: { fields: { n: number } }) => fields.n),
    )
    expect([numbers, second.json.next_cursor]).toEqual([[[5, 3, 2], [1]], null])
    expect(refusal(await send(server(), `GET ${path}/contact/submissions?show=read`, owner))).toBe(
      '400 invalid_request',
    )
  })

  it('submissions of bots are dropped and counted', async () => {
    const { name, form, numbers } = await newForm(1)
    for (let n = 0; n < 2; n++) await submit(server(), name, 'contact', { name: 'Bot', _gotcha: 'x' })
    expect(await form()).toMatchObject({ submissions: 1, spam: 0, trapped: 2 })
    expect([await numbers(), await numbers('spam')]).toEqual([[1], []])
  })

  it('no email tells of a submission that was marked as spam', async () => {
    const { owner, path, name, list, mark } = await newForm(1)
    await send(server(), `PATCH ${path}/contact`, owner, { notify: 'on' })
    await submitJson(server(), name, 'contact', { n: 2 })
    const [newest] = await list()
    await mark(newest!.id, { spam: true })
    const { db } = server().running.platform.store
    const row = await db
      .selectFrom('submissions')
      .select('mail_due')
      .where('id', '=', newest!.id)
      .executeTakeFirst()
    expect(row?.mail_due).toBe(0)
  })
})
