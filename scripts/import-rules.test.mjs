import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { floors, problemsOf } from './import-rules.mjs'

const server = 'packages/server/src'

test.each([
  ['a lower layer that reaches up', `${server}/lib/ids.ts`, "import { x } from '../core/projects.ts'"],
  ['a role that imports another', `${server}/edge/files.ts`, "import type { x } from '../api/http.ts'"],
  ['a re-export upwards', `${server}/store/rows.ts`, "export * from '../core/projects.ts'"],
  ['an import on demand', `${server}/core/a.ts`, "const x = await import('../jobs/loop.ts')"],
  ['a role that reads settings', `${server}/api/a.ts`, "import type { Settings } from '../config.ts'"],
  ['settings that know the composition', `${server}/config/a.ts`, "import { x } from '../compose.ts'"],
  ['a listener that composes', `${server}/listener.ts`, "import { x } from './compose/ports.ts'"],
  ['compose that knows a command', `${server}/compose.ts`, "import { x } from './commands/start.ts'"],
  ['a thread that knows a role', `${server}/threads/a.ts`, "import { x } from '../edge/edge.ts'"],
  ['an edge worker on the API', `${server}/edge-workers/a.ts`, "import { x } from '../api/server.ts'"],
  ['an edge worker that composes', `${server}/edge-workers/relay.ts`, "import { x } from '../compose.ts'"],
  ['a command that knows main', `${server}/commands/a.ts`, "import { x } from '../main.ts'"],
  ['a listener on an adapter', `${server}/listener.ts`, "import { x } from './ports/packs/disk.ts'"],
  ['a file that is in no layer', `${server}/misc.ts`, "import { x } from './lib/ids.ts'"],
  ['core that knows the composition', `${server}/core/a.ts`, "import { compose } from '../compose.ts'"],
  [
    'an adapter named outside compose',
    `${server}/core/a.ts`,
    "import { disk } from '../ports/packs/disk.ts'",
  ],
  ['a noun that imports one above it', `${server}/core/orgs/a.ts`, "import { x } from '../projects/b.ts'"],
  ['a noun that imports one of its floor', `${server}/core/apps/a.ts`, "import { x } from '../builds/b.ts'"],
  ['a base that knows a noun', `${server}/core/base/a.ts`, "import type { X } from '../identity/b.ts'"],
  ['a noun without a floor', `${server}/core/novel/a.ts`, "import { x } from '../base/b.ts'"],
  ['SQL outside the store', `${server}/api/routes/me.ts`, "import { sql } from 'kysely'"],
  ['a client that imports the server', 'packages/cli/src/main.ts', "import { Fault } from '@svc/server'"],
  [
    'a client that reaches into the server',
    'packages/cli/src/a.ts',
    "import '../../server/src/lib/fault.ts'",
  ],
  ['the contract that imports a client', 'packages/contract/src/a.ts', "import { x } from '@svc/cli'"],
  ['a lane on the edge', `${server}/edge/lanes/http1/lane.ts`, "import type { Route } from '../../route.ts'"],
  ['a lane on a noun', `${server}/edge/lanes/a.ts`, "import { x } from '../../core/projects/sites.ts'"],
  ['the edge on the inside of the lanes', `${server}/edge/edge.ts`, "import { x } from './lanes/sources.ts'"],
  ['a command on svc import', 'packages/cli/src/link.ts', "import { x } from './import/plan.ts'"],
  ['the rules of uploads on projects', 'packages/contract/src/site/a.ts', "import '../project/plan.ts'"],
  ['settings read in the wrong place', `${server}/core/a.ts`, 'const home = process.env.HOME'],
  ['a shell', `${server}/builder/a.ts`, "spawn('ls', { shell: true })"],
  ['a link that is written by hand', 'packages/dashboard/src/a.tsx', '<Link href="/tokens">'],
  ['a link made of parts', 'packages/dashboard/src/a.tsx', 'navigate(`/shares`)'],
  ['a process of its own', `${server}/builder/a.ts`, "import { execFile, spawn } from 'node:child_process'"],
  ['a module of its own', `${server}/jobs/a.ts`, "import { fork } from 'node:child_process'"],
  ['a server that hears of one error', `${server}/nodes/a.ts`, "server.once('error', reject)"],
  ['a thread that is terminated', `${server}/threads/a.ts`, 'new Worker(entry)'],
  ['a shell by name', `${server}/builder/a.ts`, "import { exec } from 'node:child_process'"],
])('%s is refused', (_, path, text) => {
  expect(problemsOf(path, text)).toHaveLength(1)
})

test.each([
  ['core that uses what is below', `${server}/core/a.ts`, "import { x } from '../store/projects.ts'"],
  ['a noun that uses one below it', `${server}/core/projects/a.ts`, "import { x } from '../orgs/b.ts'"],
  ['folders of one noun', `${server}/core/billing/vat/a.ts`, "import { x } from '../invoices/b.ts'"],
  ['a role that uses core', `${server}/api/routes/a.ts`, "import { x } from '../../core/projects.ts'"],
  ['anyone who uses a port', `${server}/core/a.ts`, "import type { Packs } from '../ports/packs/port.ts'"],
  ['anyone who reads packs', `${server}/edge/a.ts`, "import { x } from '../ports/packs/pack-reader.ts'"],
  [
    'an adapter made of several files',
    `${server}/ports/packs/disk.ts`,
    "import { x } from './pack-writer.ts'",
  ],
  ['compose that names adapters', `${server}/compose.ts`, "import { disk } from './ports/packs/disk.ts'"],
  ['the entry of an edge worker', `${server}/edge-workers/worker.ts`, "import { x } from '../compose.ts'"],
  ['a command that composes', `${server}/commands/start.ts`, "import { x } from '../compose.ts'"],
  [
    'a client on the contract',
    'packages/cli/src/a.ts',
    "import { createClient } from '@svc/contract/client'",
  ],
  ['settings read in config', `${server}/config.ts`, 'process.env.SVCD_PORT'],
  [
    'a child process with an argv',
    `${server}/builder/a.ts`,
    "import { startProgram } from '../lib/start-program.ts'",
  ],
  ['a type of processes', `${server}/a.ts`, "import type { ChildProcess } from 'node:child_process'"],
  ['a test', `${server}/core/a.test.ts`, "import { disk } from '../ports/packs/disk.ts'"],
])('%s is allowed', (_, path, text) => {
  expect(problemsOf(path, text)).toEqual([])
})

test('docs/architecture.md draws the floors of core in their order', () => {
  const [, page] = readFileSync('docs/architecture.md', 'utf8').split('stand on floors.')
  const lines = page.split('```')[1].trim().split('\n')
  expect(lines.map(line => line.split(/ {2,}/)[0].split(', '))).toEqual(floors)
})
