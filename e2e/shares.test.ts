// Temporary shares and the end of projects, by the real tool against a real platform.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

let machine: Machine
let svcd: Svcd
let token: string
beforeAll(async () => {
  machine = await Machine.make({})
  svcd = await machine.start()
  token = await machine.token('ada')
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

function openShell(): Shell {
  const shell = new Shell({ SVC_API_URL: `http://127.0.0.1:${svcd.port}`, SVC_TOKEN: token })
  onTestFinished(() => shell.remove())
  return shell
}

it('svc share uploads a directory, lists it, and deletes it', async () => {
  const terminal = openShell()
  terminal.write({ 'dist/index.html': 'for a while' })
  const made = await terminal.svc('share', 'dist', '--ttl', '1', '--json')
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
  const share = JSON.parse(made.stdout)
  expect(Date.parse(share.expires_at) - Date.parse(share.created_at)).toBe(24 * 3_600_000)

  const shown = await visit(share.url)
  expect([shown.status, shown.body.toString()]).toEqual([200, 'for a while'])
  expect((await terminal.svc('share', 'ls')).stdout).toContain(`${share.name}  ${share.url}  until `)
  expect((await terminal.svc('projects')).stdout).not.toContain(share.name)

  expect(await terminal.svc('share', 'rm', share.name)).toMatchObject({ code: 0 })
  expect((await visit(share.url)).status).toBe(404)
  expect((await terminal.svc('share', 'rm', share.name)).stderr).toContain('(not_found)')
})

it('a share survives a restart', async () => {
  const terminal = openShell()
  terminal.write({ 'index.html': 'still here' })
  const share = JSON.parse((await terminal.svc('share', '--json')).stdout)
  await svcd.stop()
  svcd = await machine.start()
  const { pathname, host } = new URL(share.url)
  const url = `http://${host.split(':')[0]}:${svcd.port}${pathname}`
  expect((await visit(url)).body.toString()).toBe('still here')
})

it('svc rm deletes a project, and its name is free again', async () => {
  const terminal = openShell()
  terminal.write({ 'index.html': 'gone soon' })
  await terminal.svc('init', 'short-lived')
  const { url } = JSON.parse((await terminal.svc('deploy', '--json')).stdout)
  expect((await visit(url)).status).toBe(200)
  expect((await terminal.svc('rm', 'short-lived')).code).toBe(1)
  expect((await visit(url)).status).toBe(200)
  expect(await terminal.svc('rm', 'short-lived', '--yes')).toMatchObject({ code: 0 })
  expect((await visit(url)).status).toBe(404)
  expect(await terminal.svc('init', 'short-lived')).toMatchObject({ code: 0 })
})
