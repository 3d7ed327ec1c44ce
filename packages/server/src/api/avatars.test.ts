import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestServer } from '../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server?.remove())

const avatar = (name: string, method = 'GET') =>
  server.request(`/avatars/${name}`, { host: 'app.localhost', method })

it('the forge draws an avatar that is the same every time, and safe to show anywhere', async () => {
  const first = await avatar('ada.svg')
  expect(first.status).toBe(200)
  expect(first.headers).toMatchObject({
    'content-type': 'image/svg+xml; charset=utf-8',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=86400',
  })
  expect(first.text).toContain('>A</text>')
  expect((await avatar('ada.svg')).text).toBe(first.text)
  expect((await avatar('bob.svg')).text).toContain('>B</text>')
  expect((await avatar('ada.svg', 'HEAD')).body).toHaveLength(0)
})

it('the forge draws no avatar for text that cannot be a login', async () => {
  for (const name of ['%3Cscript%3E.svg', 'Ada.svg', `${'a'.repeat(41)}.svg`, 'ada.png', '.svg', 'a%22b.svg'])
    expect((await avatar(name)).text).not.toContain('<svg')
})
