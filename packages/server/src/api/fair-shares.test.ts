import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { archiveOf } from '../testing/archives.ts'
import { hashPasswordsAtRealCost } from '../testing/passwords.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const password = 'correct horse battery'

/** An upload that has begun and does not go on. */
function stalledUpload(server: TestServer, token: string, project: string): void {
  const req = request({
    host: '127.0.0.1',
    port: server.running.port,
    path: `/projects/${project}/deployments`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
    agent: false,
  })
  req.on('error', () => undefined)
  req.write(Buffer.from([0x1f]))
  onTestFinished(() => void req.destroy())
}

onEveryServer(server => {
  it('sixty new site passwords of one account keep nobody else from signing in', async () => {
    hashPasswordsAtRealCost()
    const { login } = await server().account()
    await changePassword(server().running.platform, login, password)
    const { token } = await server().account()
    const site = await deploySite(server(), token, { 'index.html': 'hello' })
    let answered = 0
    const changes = Array.from({ length: 60 }, async (_, i) => {
      const body = { password: `password ${i}` }
      const { status } = await server().request(`/projects/${site}/password`, { method: 'PUT', token, body })
      answered++
      return status
    })
    await Promise.race(changes)
    const signIn = await server().request('/auth/signin', { method: 'POST', body: { login, password } })
    expect(signIn.status).toBe(200)
    expect(answered).toBeLessThan(40)
    // What does not fit into the queue is refused with words, and the rest is done.
    expect(new Set(await Promise.all(changes))).toEqual(new Set([200, 503]))
  })

  it('uploads of one account that stand still keep no other account from deploying', async () => {
    const slow = await server().account()
    const stalled = await deploySite(server(), slow.token, { 'index.html': 'slow' })
    for (let i = 0; i < 12; i++) stalledUpload(server(), slow.token, stalled)
    const quick = await server().account()
    const site = await deploySite(server(), quick.token, { 'index.html': 'quick' })
    expect((await server().upload(quick.token, site, archiveOf({ 'index.html': 'again' }))).status).toBe(201)
  })
})
