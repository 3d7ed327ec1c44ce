// A svcd from a folder of versions, with a site that visitors ask for without a pause, for the tests of upgrades.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { expect, onTestFinished } from 'vitest'
import { http1, Load } from './load.ts'
import type { Releases } from './releases.ts'
import { Machine, Svcd } from './svcd.ts'

export async function startUpgradable(releases: Releases, environment: Record<string, string> = {}) {
  const machine = await Machine.make({ SVCD_LOG_LEVEL: 'info', ...environment })
  onTestFinished(() => machine.remove())
  const root = path.join(machine.dataDir, 'programs')
  mkdirSync(root)
  const program = releases.install(root)
  const env = { PATH: process.env.PATH ?? '', ...machine.environment }
  const command = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>(resolve =>
      execFile(process.execPath, [program, ...args], { cwd: root, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      ),
    )
  /** Starts a command that the test kills. */
  const begin = (...args: string[]) =>
    spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: 'ignore' })
  // All processes that replace each other are of one group.
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: root,
    env,
    detached: true,
    stdio: 'pipe',
  })
  const svcd = new Svcd(child)
  onTestFinished(async () => {
    process.kill(-child.pid!, 'SIGKILL')
    await svcd.ended
  })
  await svcd.ready()
  const token = (await command('users', 'create', 'ada', '--token')).stdout.trim()
  const { port } = svcd
  const ask = async (route: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers }
    return await fetch(`http://127.0.0.1:${port}${route}`, { ...init, headers })
  }
  const create = async (name: string) => {
    const headers = { 'content-type': 'application/json' }
    expect((await ask('/projects', { method: 'POST', headers, body: JSON.stringify({ name }) })).status).toBe(
      201,
    )
  }
  const version = async () => ((await (await ask('/health')).json()) as { version: string }).version
  const projects = async () => {
    const { projects } = (await (await ask('/projects')).json()) as { projects: { name: string }[] }
    return projects.map(({ name }) => name).toSorted()
  }
  const current = () => path.basename(readlinkSync(path.join(root, 'current')))
  await create('shop')
  const body = Uint8Array.from(archiveOf({ 'index.html': 'home' }))
  const headers = { 'content-type': 'application/gzip' }
  expect((await ask('/projects/shop/deployments', { method: 'POST', headers, body })).status).toBe(201)
  const visited = { host: 'shop.localhost', port }
  const load = new Load(
    [true, true, false].map(keepAlive => http1(visited, keepAlive)),
    '200 home',
  )
  onTestFinished(() => load.stop())
  await load.more(20)
  return { machine, root, svcd, command, begin, create, version, projects, current, load }
}
