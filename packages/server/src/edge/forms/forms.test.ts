import { limits } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { archiveOf } from '../../testing/archives.ts'
import { exchange } from '../../testing/connection.ts'
import { multipart, submit, submitJson, textPart, urlencoded } from '../../testing/forms.ts'
import { refusal } from '../../testing/send.ts'
import { onEveryServer } from '../../testing/server.ts'
import { cookieOf, deploySite, setPassword, unlock } from '../../testing/sites.ts'

onEveryServer(server => {
  async function newSite() {
    const owner = await server().account()
    const name = await deploySite(server(), owner.token, { 'index.html': 'hello' })
    const call = server().client(owner.token)
    const forms = async () => (await call('GET /projects/:name/forms', { params: { name } })).forms
    const stored = async (form: string) =>
      (await call('GET /projects/:name/forms/:form/submissions', { params: { name, form } })).submissions
    return { owner, name, call, forms, stored }
  }

  describe('a form that is sent', () => {
    it('is stored, and the visitor thanked', async () => {
      const { name, forms, stored } = await newSite()
      const referer = `http://${name}.localhost/contact?from=mail`
      const answer = await submit(
        server(),
        name,
        'contact',
        { name: 'Ada', text: 'ünï ✓\nline' },
        { referer },
      )
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.text).toContain('Thank you')
      expect(answer.text).toContain('href="/contact?from=mail"')
      expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '29' })
      expect(await stored('contact')).toEqual([
        {
          id: expect.stringMatching(/^sub_[a-z0-9]{16}$/),
          created_at: expect.stringMatching(/Z$/),
          fields: { name: 'Ada', text: 'ünï ✓\nline' },
          country: null,
          referrer: referer,
          read: false,
          spam: false,
        },
      ])
      expect(await forms()).toEqual([
        {
          name: 'contact',
          submissions: 1,
          unread: 1,
          spam: 0,
          trapped: 0,
          last_submission_at: expect.stringMatching(/Z$/),
          notify: 'off',
          retention_days: null,
          notify_pending: [],
          stored_bytes: expect.any(Number),
        },
      ])
    })

    it('may be JSON, and is answered in JSON', async () => {
      const { name, stored } = await newSite()
      const fields = { name: 'Ada', age: 36, tags: ['a', 'b'], nested: { ok: true }, gone: null }
      const answer = await submitJson(server(), name, 'contact', fields)
      expect([answer.status, answer.json]).toEqual([200, { ok: true }])
      expect((await stored('contact'))[0]?.fields).toEqual(fields)
    })

    it('keeps every name, those of JavaScript, too', async () => {
      const { name, stored } = await newSite()
      const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '\u0000', '"', '\ud83d\ude00']
      const fields = names.map((field): [string, string] => [field, `of ${field}`])
      await submit(server(), name, 'contact', fields)
      await server().site(name, '/_svc/forms/contact', {
        method: 'POST',
        body: `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`,
        headers: { 'content-type': 'application/json' },
      })
      const [json, plain] = await stored('contact')
      expect(Object.entries(plain!.fields)).toEqual(fields)
      expect(JSON.stringify(json!.fields)).toContain('"__proto__":{"polluted":1}')
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })

    it('may be multipart, with a name more than once and a file field that was left empty', async () => {
      const { name, stored } = await newSite()
      const { body, headers } = multipart([
        textPart('topping', 'ham'),
        textPart('topping', 'olives'),
        textPart('note', 'with\r\nlines'),
        ['Content-Disposition: form-data; name="photo"; filename=""\r\nContent-Type: x/y', ''],
      ])
      const path = '/_svc/forms/pizza'
      const answer = await server().site(name, path, {
        method: 'POST',
        body,
        headers: { ...headers, accept: 'application/json' },
      })
      expect([answer.status, answer.json]).toEqual([200, { ok: true }])
      expect((await stored('pizza'))[0]?.fields).toEqual({
        topping: ['ham', 'olives'],
        note: 'with\r\nlines',
      })
    })

    it('brings the visitor to a page of the same site', async () => {
      const { name, stored } = await newSite()
      const answer = await submit(server(), name, 'contact', { a: 'b', _redirect: '/thanks?x=1#top' })
      expect([answer.status, answer.headers.location]).toEqual([303, '/thanks?x=1#top'])
      const own = `http://${name}.localhost:8080/thanks`
      expect((await submit(server(), name, 'contact', { _redirect: own })).headers.location).toBe('/thanks')
      expect((await stored('contact')).map(({ fields }) => fields)).toEqual([{}, { a: 'b' }])
    })

    it.each([
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      'javascript:alert(1)',
      '/_svc/access',
    ])('never brings them elsewhere: %s', async _redirect => {
      const { name } = await newSite()
      const answer = await submit(server(), name, 'contact', { _redirect })
      expect([answer.status, answer.headers.location]).toEqual([200, undefined])
    })

    it('is dropped without a word where the hidden field was filled in', async () => {
      const { name, forms } = await newSite()
      const answer = await submit(server(), name, 'contact', { name: 'Bot', _gotcha: 'x' })
      expect([answer.status, answer.text.includes('Thank you')]).toEqual([200, true])
      expect((await submitJson(server(), name, 'contact', { _gotcha: 'x' })).json).toEqual({ ok: true })
      expect(await forms()).toEqual([])
      await submit(server(), name, 'contact', [
        ['_gotcha', ''],
        ['_gotcha', 'x'],
      ])
      expect(await forms()).toEqual([])
      await submit(server(), name, 'contact', { name: 'Ada', _gotcha: '' })
      await submit(server(), name, 'contact', [
        ['_gotcha', ''],
        ['_gotcha', ''],
      ])
      expect(await forms()).toMatchObject([{ submissions: 2 }])
    })

    it('is taken on every host of the site', async () => {
      const { owner, name, call, stored } = await newSite()
      const domain = `${name}.example.org`
      await call('POST /projects/:name/domains', { params: { name }, body: { domain } })
      const { deployments } = await call('GET /projects/:name', { params: { name } })
      const preview = `${deployments[0]!.id.replace('_', '-')}--${name}`
      await submit(server(), preview, 'contact', { from: 'preview' })
      await server().upload(owner.token, name, archiveOf({ 'index.html': 'next' }), '?branch=next')
      const branch = await submit(server(), `next--${name}`, 'contact', { from: 'branch', _redirect: '/ok' })
      expect([branch.status, branch.headers.location]).toEqual([303, '/ok'])
      const options = { method: 'POST', body: 'from=domain', headers: { 'content-type': urlencoded } }
      const last = await server().request('/_svc/forms/contact', { ...options, host: domain })
      expect((await stored('contact')).map(({ fields }) => fields.from)).toEqual([
        'domain',
        'branch',
        'preview',
      ])
      // All of them count together.
      expect(last.headers['x-ratelimit-remaining']).toBe('27')
    })

    it('waits behind the gate of a protected site', async () => {
      const { owner, name, forms, stored } = await newSite()
      await setPassword(server(), owner.token, name, 'opensesame')
      expect((await submit(server(), name, 'contact', { a: '1' })).status).toBe(401)
      expect(await forms()).toEqual([])
      const cookie = cookieOf(await unlock(server(), name, { password: 'opensesame' }))
      expect((await submit(server(), name, 'contact', { a: '1' }, { cookie })).status).toBe(200)
      expect(await stored('contact')).toHaveLength(1)
    })
  })

  describe('what is refused', () => {
    it.each(['Contact', 'a_b', 'a%20b', '', 'x'.repeat(41)])('the form name "%s"', async form => {
      const { name } = await newSite()
      expect(refusal(await submitJson(server(), name, form, {}))).toBe('400 invalid_request')
    })

    it('more than 256 KB, whether that was announced or not', async () => {
      const { name, forms } = await newSite()
      const text = 'x'.repeat(limits.formBodyBytes)
      expect(refusal(await submitJson(server(), name, 'contact', { text }))).toBe('413 payload_too_large')
      const chunk = `${(text.length + 1).toString(16)}\r\n${text}x\r\n`
      const head = `POST /_svc/forms/contact HTTP/1.1\r\nHost: ${name}.localhost\r\nContent-Type: application/json`
      const endless = `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`
      expect(await exchange(server().running.port, [endless])).toMatch(/^HTTP\/1\.1 413 /)
      expect(await forms()).toEqual([])
      const fits = 'x'.repeat(limits.formBodyBytes - '{"text":""}'.length)
      expect((await submitJson(server(), name, 'contact', { text: fits })).status).toBe(200)
    })

    it('more than 100 fields', async () => {
      const { name } = await newSite()
      const fields = (count: number) =>
        Array.from({ length: count }, (_, i): [string, string] => [`f${i}`, '']) as [string, string][]
      expect((await submit(server(), name, 'contact', fields(100))).status).toBe(200)
      const answer = await submit(server(), name, 'contact', fields(101), { accept: 'application/json' })
      expect(refusal(answer)).toBe('400 invalid_request')
      const json = Object.fromEntries(fields(101))
      expect(refusal(await submitJson(server(), name, 'contact', json))).toBe('400 invalid_request')
    })

    it('files', async () => {
      const { name, forms } = await newSite()
      const { body, headers } = multipart([
        ['Content-Disposition: form-data; name="cv"; filename="cv.pdf"', '%PDF'],
      ])
      const answer = await server().site(name, '/_svc/forms/jobs', {
        method: 'POST',
        body,
        headers: { ...headers, accept: 'application/json' },
      })
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.json.error.message).toBe(
        "Forms accept text only, and 'cv' is a file. Remove the file field.",
      )
      expect(await forms()).toEqual([])
    })

    it.each([
      ['text/plain', 'a=b', '415 unsupported_media_type'],
      ['application/json', '{', '400 invalid_request'],
      ['application/json', '[]', '400 invalid_request'],
      ['application/json', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, '400 invalid_request'],
      ['multipart/form-data', 'x', '400 invalid_request'],
      ['multipart/form-data; boundary=b', '--b\r\n\r\n', '400 invalid_request'],
      ['multipart/form-data; boundary=b', '--b\r\nX: y\r\n\r\nz\r\n--b--', '400 invalid_request'],
    ])('a body of the type %s that is not one (%#)', async (type, body, refused) => {
      const { name } = await newSite()
      const headers = { 'content-type': type, accept: 'application/json' }
      const answer = await server().site(name, '/_svc/forms/contact', { method: 'POST', body, headers })
      expect(refusal(answer)).toBe(refused)
    })

    it('a new form where there are 100', async () => {
      const { name, call, forms } = await newSite()
      const { id } = await call('GET /projects/:name', { params: { name } })
      const rows = Array.from({ length: 100 }, (_, i) => ({
        project_id: id,
        name: `form-${i}`,
        notify: 'off',
        retention_days: null,
        stored_bytes: 0,
        trapped: 0,
        created_at: 0,
      }))
      await server().running.platform.store.db.insertInto('forms').values(rows).execute()
      expect(refusal(await submitJson(server(), name, 'one-more', {}))).toBe('400 invalid_request')
      expect((await submitJson(server(), name, 'form-7', {})).status).toBe(200)
      expect(await forms()).toHaveLength(100)
    })

    it('the 31st within ten minutes from one address, and only there', async () => {
      const { name } = await newSite()
      for (let i = 0; i < 30; i++)
        expect((await submitJson(server(), name, 'contact', {})).status, `number ${i + 1}`).toBe(200)
      const refused = await submitJson(server(), name, 'contact', {})
      expect(refusal(refused)).toBe('429 rate_limit_exceeded')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expect(refused.headers['x-ratelimit-remaining']).toBe('0')
      const page = await submit(server(), name, 'contact', {})
      expect([page.status, page.text.includes('This was not sent')]).toEqual([429, true])
      const other = await newSite()
      expect((await submitJson(server(), other.name, 'contact', {})).status).toBe(200)
    })

    it('forms of temporary shares, which nobody could read', async () => {
      const { token } = await server().account()
      const { json } = await server().request('/shares', {
        method: 'POST',
        token,
        body: archiveOf({ 'index.html': 'x' }),
        headers: { 'content-type': 'application/gzip' },
      })
      expect(refusal(await submitJson(server(), json.name, 'contact', {}))).toBe('404 not_found')
    })

    it('other methods, and everything else below /_svc/', async () => {
      const { name } = await newSite()
      expect((await server().site(name, '/_svc/forms/contact')).status).toBe(404)
      expect((await server().site(name, '/_svc/other', { method: 'POST' })).status).toBe(405)
      expect((await server().site('nobody', '/_svc/forms/contact', { method: 'POST' })).status).toBe(404)
    })
  })
})
