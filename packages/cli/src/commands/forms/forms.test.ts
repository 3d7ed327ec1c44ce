import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const form = {
  name: 'contact',
  submissions: 2,
  last_submission_at: '2026-01-02T03:04:05.678Z',
  notify: 'on',
  retention_days: 30,
}
const submission = {
  id: 'sub_0123456789abcdef',
  created_at: '2026-01-02T03:04:05.678Z',
  fields: { name: 'Ada', text: 'two\nlines \u001b[31m', tags: ['a', 'b'] },
  country: 'NL',
  referrer: 'http://blog.localhost/contact',
}
const shown = `sub_0123456789abcdef  2026-01-02 03:04  NL http://blog.localhost/contact
  name: Ada
  text: two
    lines${' '}
  tags: ["a","b"]`

async function run(args: string[], answers: Parameters<typeof standIn>[0], typed?: string) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const terminal = typed === undefined ? {} : { terminal: true, stdin: typed }
  return { api, result: await svc(['forms', ...args, '--project', 'blog'], { env, ...terminal }) }
}

describe('svc forms', () => {
  it.each([[[]], [['ls']]])('lists forms with who is told and how long submissions are kept', async args => {
    const other = { ...form, name: 'a', submissions: 1, notify: 'off', retention_days: null }
    const { result } = await run(args, { 'GET /projects/blog/forms': { body: { forms: [form, other] } } })
    expect(result).toEqual({
      code: 0,
      stdout:
        'contact  2 submissions  last 2026-01-02 03:04  notify on  kept for 30 days\na        1 submission   last 2026-01-02 03:04\n',
      stderr: '',
    })
  })

  it('says how many are unread or spam', async () => {
    const forms = [{ ...form, unread: 1, spam: 3 }]
    const { result } = await run([], { 'GET /projects/blog/forms': { body: { forms } } })
    expect(result.stdout).toMatch(/^contact {2}2 submissions {2}1 unread {2}3 spam {2}last/)
  })

  it.each([
    ['unread', 'Everything sent to contact was read.'],
    ['spam', 'Nothing sent to contact is marked as spam.'],
  ])('shows only those that are %s', async (show, nothing) => {
    const path = `GET /projects/blog/forms/contact/submissions?limit=20&show=${show}`
    const full = { submissions: [{ ...submission, read: false }], next_cursor: null }
    const { result } = await run(['submissions', 'contact', `--${show}`], { [path]: { body: full } })
    expect(result.stdout).toContain('2026-01-02 03:04  unread  NL http://blog.localhost/contact')
    const empty = { body: { submissions: [], next_cursor: null } }
    const none = await run(['submissions', 'contact', `--${show}`], { [path]: empty })
    expect(none.result.stdout).toBe(`${nothing}\n`)
  })

  it('marks submissions as read, as spam and as not spam', async () => {
    const one = 'PATCH /projects/blog/forms/contact/submissions/sub_1'
    for (const [args, body] of [
      [['read', 'contact', 'sub_1'], { read: true }],
      [['spam', 'contact', 'sub_1'], { spam: true }],
      [['not-spam', 'contact', 'sub_1'], { spam: false }],
    ] as const) {
      const { api, result } = await run([...args], { [one]: { body: submission } })
      expect([result.code, JSON.parse(api.calls[0]!.body.toString())]).toEqual([0, body])
    }
    const all = 'POST /projects/blog/forms/contact/read'
    const { result } = await run(['read', 'contact'], { [all]: { body: { ok: true } } })
    expect(result.stdout).toBe('All submissions to contact are marked as read.\n')
  })

  it('says how to make the first one', async () => {
    const { result } = await run([], { 'GET /projects/blog/forms': { body: { forms: [] } } })
    expect(result.stdout).toContain('/_svc/forms/<name>')
  })

  it('shows the last 20 submissions, without what would steer the terminal', async () => {
    const body = { submissions: [submission, submission], next_cursor: 'more' }
    const path = 'GET /projects/blog/forms/contact/submissions?limit=20'
    const rest = { submissions: Array(18).fill(submission), next_cursor: 'evenmore' }
    const { result } = await run(['submissions', 'contact'], {
      [path]: { body },
      'GET /projects/blog/forms/contact/submissions?cursor=more&limit=20': { body: rest },
    })
    expect([result.code, result.stderr]).toEqual([0, ''])
    expect(result.stdout).toBe(`${Array(20).fill(shown).join('\n\n')}\n`)
  })

  it('shows as many as are wanted, also as JSON', async () => {
    const body = { submissions: [submission], next_cursor: null }
    const path = 'GET /projects/blog/forms/contact/submissions?limit=1'
    const { result } = await run(['show', 'contact', '1', '--json'], { [path]: { body } })
    expect(JSON.parse(result.stdout)).toEqual(body)
    const bad = await run(['submissions', 'contact', 'many'], {})
    expect(bad.result.stderr).toBe("svc: The count must be a whole number, not 'many'.\n")
  })

  it('writes the export to stdout as it comes', async () => {
    const csv = 'id,name\r\nsub_1,Ada ✓\r\n'
    const { result } = await run(['export', 'contact'], {
      'GET /projects/blog/forms/contact/export': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/csv' }).end(csv)
      },
    })
    expect(result).toEqual({ code: 0, stdout: csv, stderr: '' })
  })

  it('passes on why there is no export', async () => {
    const { result } = await run(['export', 'contact'], {
      'GET /projects/blog/forms/contact/export': refusal('not_found', 'No such form.', 404),
    })
    expect(result).toEqual({ code: 1, stdout: '', stderr: 'svc: No such form. (not_found)\n' })
  })

  const patch = 'PATCH /projects/blog/forms/contact'
  it.each([
    ['notify', 'on', { notify: 'on' }, 'Submissions to contact are sent to the owner by email.'],
    ['notify', 'off', { notify: 'off' }, 'Submissions to contact send no email.'],
    [
      'notify',
      'a@b.example',
      { notify: 'a@b.example' },
      'Submissions to contact are sent to a@b.example by email.',
    ],
    ['retention', '7', { retention_days: 7 }, 'Submissions to contact are deleted after 7 days.'],
    ['retention', 'off', { retention_days: null }, 'Submissions to contact are kept.'],
  ])('changes a setting: %s %s', async (verb, word, change, words) => {
    const { api, result } = await run([verb, 'contact', word], { [patch]: { body: { ...form, ...change } } })
    expect(result).toEqual({ code: 0, stdout: `${words}\n`, stderr: '' })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual(change)
  })

  it('says that an address must confirm first, and which of the listed has not', async () => {
    const pending = { ...form, notify: 'a@b.example', notify_pending: ['a@b.example'] }
    const changed = await run(['notify', 'contact', 'a@b.example'], { [patch]: { body: pending } })
    expect(changed.result).toEqual({
      code: 0,
      stdout: 'Submissions to contact are sent to a@b.example by email.\n',
      stderr:
        'a@b.example must confirm first: it got an email with a link. Nothing else is sent there before that.\n',
    })
    const listed = await run([], { 'GET /projects/blog/forms': { body: { forms: [pending] } } })
    expect(listed.result.stdout).toContain('notify a@b.example (not confirmed yet)')
  })

  it.each(['ever', '0', '3651', '1.5'])('sends no retention of %s', async days => {
    const { api, result } = await run(['retention', 'contact', days], {})
    expect(result).toEqual({ code: 1, stdout: '', stderr: "svc: Days must be 1 to 3650, or 'off'.\n" })
    expect(api.calls).toEqual([])
  })

  it('deletes a form, or one submission', async () => {
    const body = { ok: true }
    const all = await run(['rm', 'contact', '--yes'], { 'DELETE /projects/blog/forms/contact': { body } })
    expect(all.result.stdout).toBe('Deleted contact and its submissions.\n')
    const one = await run(['rm', 'contact', submission.id], {
      [`DELETE /projects/blog/forms/contact/submissions/${submission.id}`]: { body },
    })
    expect(one.result.stdout).toBe(`Deleted ${submission.id}.\n`)
  })

  it('deletes a form only when its name has been typed, if there is a terminal to ask at', async () => {
    const answers = {
      'GET /projects/blog/forms': { body: { forms: [form] } },
      'DELETE /projects/blog/forms/contact': { body: { ok: true } },
    }
    const wrong = await run(['rm', 'contact'], answers, 'contract\n')
    expect(wrong.result.code).toBe(1)
    expect(wrong.result.stderr).toContain('This deletes contact for good, with 2 submissions.')
    expect(wrong.result.stderr).toContain('That is not its name. Nothing was deleted.')
    expect(wrong.api.keys()).toEqual(['GET /projects/blog/forms'])
    const right = await run(['rm', 'contact'], answers, 'contact\n')
    expect(right.result.stdout).toBe('Deleted contact and its submissions.\n')
    const nobody = await run(['rm', 'contact'], answers)
    expect(nobody.result).toEqual({ code: 0, stdout: 'Deleted contact and its submissions.\n', stderr: '' })
    expect(nobody.api.keys()).toEqual(['DELETE /projects/blog/forms/contact'])
  })

  it('says that nothing is sent where the platform has no mail server', async () => {
    const answer = (sends_email: boolean) => ({ [patch]: { body: { ...form, sends_email } } })
    const mute = await run(['notify', 'contact', 'on'], answer(false))
    expect(mute.result.code).toBe(0)
    expect(mute.result.stderr).toMatch(/^Warning: This platform sends no email: .*SVCD_SMTP_URL/)
    expect((await run(['notify', 'contact', 'on'], answer(true))).result.stderr).toBe('')
    expect((await run(['notify', 'contact', 'off'], answer(false))).result.stderr).toBe('')
  })
})
