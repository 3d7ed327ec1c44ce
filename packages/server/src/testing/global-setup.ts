// Runs once per test run, before any test: starts the PostgreSQL server that all test files share.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import type {} from './postgres.ts'

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('./postgres-server.js', import.meta.url))
  // The process is detached, so Ctrl-C does not kill it. It ends when its stdin closes, and then removes its files.
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const url = await Promise.race([
    once(lines, 'line').then(([line]) => line as string),
    ended.then(() => undefined),
  ])
  if (url === undefined) throw new Error('The PostgreSQL server of the tests did not start; see above.')
  project.provide('postgresUrl', url)
  return async () => {
    child.stdin.end()
    await ended
  }
}
