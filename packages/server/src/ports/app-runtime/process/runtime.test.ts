import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { describeRuntime } from '../conformance.ts'
import { AppDidNotStart } from '../port.ts'
import { findCgroups } from './cgroups.ts'
import { ProcessRuntime } from './runtime.ts'
import { findWall } from './sandbox.ts'

const limits = findCgroups('conformance') !== undefined

if (await findWall())
  describeRuntime('apps as processes in bubblewrap', {
    open: nodeId => ProcessRuntime.open(nodeId),
    isolates: true,
    limits,
  })
else describe.skip('apps as processes in bubblewrap: it is not installed, or may not do its work here')

describeRuntime('apps as plain processes', {
  open: nodeId => ProcessRuntime.open(nodeId, { walls: false }),
  isolates: false,
  limits,
})

/** A variable by which a program loads a library: every program that got it complains that there is no such file. */
test.each([true, false])('no program but the app gets its variables (walls: %s)', async walls => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-variables-'))
  const filesDir = path.join(dir, 'files')
  mkdirSync(filesDir)
  writeFileSync(path.join(filesDir, 'app.cjs'), '')
  const runtime = await ProcessRuntime.open(`node${randomText(12)}`, { walls })
  onTestFinished(async () => {
    await runtime.close()
    rmSync(dir, { recursive: true })
  })
  let said = ''
  const starting = runtime.start({
    ...{ instanceId: 'ins_a', projectId: 'prj_a', project: 'a', deploymentId: 'dep_a' },
    ...{ filesDir, scratchDirs: [], command: ['node', 'app.cjs'], readyWithinMs: 60_000 },
    env: { LD_PRELOAD: '/no/such/library.so' },
    limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 },
    output(_, chunk) {
      said += chunk
      return true
    },
  })
  await expect(starting).rejects.toThrow('exited with code 0')
  expect(said.match(/\/no\/such\/library\.so/g)).toHaveLength(1)
})

test('somebody else who listens on the port of an app is not taken for it', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-ports-'))
  const runtime = await ProcessRuntime.open(`node${randomText(12)}`)
  const others: Server[] = []
  onTestFinished(async () => {
    await runtime.close()
    for (const server of others) server.close()
    rmSync(dir, { recursive: true })
  })
  const filesDir = path.join(dir, 'files')
  mkdirSync(filesDir)
  writeFileSync(path.join(filesDir, 'app.cjs'), 'console.log(process.env.PORT); setInterval(() => {}, 1000)')
  const ports: number[] = []
  const error = await runtime
    .start({
      ...{ instanceId: 'ins_a', projectId: 'prj_a', project: 'a', deploymentId: 'dep_a' },
      ...{ filesDir, scratchDirs: [], command: ['node', 'app.cjs'], env: {}, readyWithinMs: 60_000 },
      limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 },
      output(_, chunk) {
        const port = Number(chunk)
        if (!port) return true
        ports.push(port)
        others.push(createServer().listen(port, '127.0.0.1'))
        return true
      },
    })
    .catch(error => error)
  expect(error).toBeInstanceOf(AppDidNotStart)
  expect(error.message).toContain('No free port')
  expect(new Set(ports).size).toBe(ports.length)
})
