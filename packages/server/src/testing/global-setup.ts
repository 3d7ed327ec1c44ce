// Runs once per test run, before any test: bundles svcd if it was compiled since, starts the PostgreSQL server that all test
// files share, and migrates a database of each kind for them to copy.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { makeMigratedTemplate } from './postgres.ts'
import { makeMigratedFile } from './sqlite.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  bundleIfStale()
  // Every start of Node reads all these certificates, which takes longer than the rest of it. Tests have authorities of their own.
  delete process.env.NODE_EXTRA_CA_CERTS
  const program = here('./postgres-server.js')
  // The process is detached, so Ctrl-C does not kill it. It ends when its stdin closes, and then removes its files.
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const url = await Promise.race([
    once(lines, 'line').then(([line]) => line as string),
    ended.then(() => undefined),
  ])
  if (url === undefined) throw new Error('The PostgreSQL server of the tests did not start; see above.')
  await makeMigratedTemplate(url)
  project.provide('postgresUrl', url)
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-migrated-'))
  const file = path.join(folder, 'svc.db')
  await makeMigratedFile(file)
  project.provide('migratedSqlite', file)
  return async () => {
    await rm(folder, { recursive: true })
    child.stdin.end()
    await ended
  }
}

/** Some tests start svcd itself, which runs from its bundle. `npx tsc -b` alone does not make that. */
function bundleIfStale(): void {
  const madeAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const bundledAt = madeAt(here('../../bundle/main.js'))
  const compiled = ['..', '../../../contract/dist'].flatMap(folder =>
    readdirSync(here(folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.js') && !name.endsWith('.test.js'))
      .map(name => here(`${folder}/${name}`)),
  )
  if (compiled.some(path => madeAt(path) > bundledAt))
    execFileSync(process.execPath, [here('../../build.mjs')], { stdio: 'inherit' })
}
