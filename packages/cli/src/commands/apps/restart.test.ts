import { expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const linked = () => temporaryDirectory({ 'svc.json': '{"project":"shop"}' })

it.each([
  [true, 'shop restarts: the new instance takes over when it is ready.\n'],
  [false, 'shop is asleep. The next request starts it.\n'],
])('svc restart says what happens (restarting: %s)', async (restarting, stdout) => {
  const api = await standIn({ 'POST /projects/shop/restart': { body: { ok: true, restarting } } })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  expect(await svc(['restart'], { cwd: linked(), env })).toEqual({ code: 0, stdout, stderr: '' })
})

it('svc restart of a static site says that there is nothing to restart', async () => {
  const api = await standIn({
    'POST /projects/shop/restart': refusal('not_a_server', 'The project has no live server app.'),
  })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  expect(await svc(['restart'], { cwd: linked(), env })).toMatchObject({
    code: 1,
    stderr: 'svc: The project has no live server app. (not_a_server)\n',
  })
})

it('svc restart fails where the new instance does not start', async () => {
  const restart = { state: 'failed', error: 'no database' }
  const api = await standIn({
    'POST /projects/shop/restart': { body: { ok: true, restarting: true } },
    'GET /projects/shop': { body: { app: { state: 'running', since: null, error: null, restart } } },
  })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  const { code, stderr } = await svc(['restart'], { cwd: linked(), env })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^svc: The new instance did not start\. The one from before keeps running.*\nno database\n/,
  )
})
