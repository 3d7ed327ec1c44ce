// Settings of the dashboard over the restarts of a real svcd.
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { expect, onTestFinished, test } from 'vitest'
import { Machine } from './svcd.ts'

test('a setting of the dashboard takes effect with a restart, the environment wins, and the command line shows and removes it', async () => {
  const machine = await Machine.make({ SVCD_LOG_LEVEL: 'info' })
  onTestFinished(() => machine.remove())
  const svcd = await machine.start()
  const pids = [svcd.child.pid!]
  onTestFinished(() => {
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
  })
  const token = await machine.run('users', 'create', 'ada', '--admin', '--token')
  const call = async (method: string, route: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${svcd.port}${route}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return await answer.json()
  }
  const changed = await call('PATCH', '/admin/settings', {
    changes: {
      SVCD_ABUSE_CONTACT: 'abuse@example.com',
      SVCD_AI_UPSTREAM: 'https://ai.example/v1',
      SVCD_AI_KEY: 'hush-hush',
    },
  })
  expect(changed.restart).toEqual({ needed: true, possible: true })
  const shown = await machine.run('config', '--sources')
  expect(shown).toContain('# dashboard:\nSVCD_ABUSE_CONTACT=abuse@example.com\n# default:')
  expect(shown).toContain('# dashboard:\nSVCD_AI_UPSTREAM=https://ai.example/v1\n# SVCD_AI_KEY=[secret]')
  expect(shown).toContain('# environment:\nSVCD_PORT=0\n')
  expect(shown).toContain('\nSVCD_SIGNUPS=invite\n')
  await call('POST', '/admin/settings/restart')
  await eventually(async () => (await call('GET', '/admin/settings')).restart.needed === false)
  const line = svcd.stderr.find(text => text.includes('is to replace this one'))!
  pids.push(JSON.parse(line).pid)
  expect((await machine.outcome('config')).stdout).not.toContain('hush')
  machine.environment.SVCD_ABUSE_CONTACT = 'other@example.com'
  expect(await machine.run('config', '--sources')).toContain(
    '# environment:\nSVCD_ABUSE_CONTACT=other@example.com\n',
  )
  delete machine.environment.SVCD_ABUSE_CONTACT
  expect(await machine.run('config', 'unset', 'SVCD_ABUSE_CONTACT')).toContain(
    'is not set by the dashboard any more',
  )
  expect(await machine.run('config')).toContain('\nSVCD_ABUSE_CONTACT=\n')
  expect((await machine.outcome('config', 'unset', 'SVCD_ABUSE_CONTACT')).code).toBe(1)
})

test('a svcd that cannot start with a setting of the dashboard says how to take it back', async () => {
  const machine = await Machine.make({ SVCD_BILLING: 'off' })
  onTestFinished(() => machine.remove())
  const svcd = await machine.start()
  const token = await machine.run('users', 'create', 'ada', '--admin', '--token')
  const answer = await fetch(`http://127.0.0.1:${svcd.port}/admin/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ changes: { SVCD_LIMIT_PROJECTS: '3' } }),
  })
  expect(answer.status).toBe(200)
  svcd.child.kill('SIGTERM')
  await svcd.ended
  machine.environment.SVCD_BILLING = 'sandbox'
  const { code, stderr } = await machine.outcome('start')
  expect(code).toBe(1)
  expect(stderr).toContain('SVCD_LIMIT_PROJECTS has no effect with SVCD_BILLING=sandbox')
  expect(stderr).toContain("'svcd config unset <name>' takes one back")
  await machine.run('config', 'unset', 'SVCD_LIMIT_PROJECTS')
  const again = await machine.start()
  again.child.kill('SIGTERM')
  expect(await again.ended).toBe(0)
})
