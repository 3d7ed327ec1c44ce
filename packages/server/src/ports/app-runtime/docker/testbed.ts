// The container engine for tests: a running one, or one that the tests start. `missing` says why there is none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { randomText } from '../../../lib/ids.ts'
import type { EngineUnderTest } from '../../../testing/container-engine.ts'
import type { AppSpec } from '../port.ts'

type TestEngine = EngineUnderTest & { close(): Promise<void> }

/** `kind` is one engine, or a swarm of two. */
export async function openTestEngine(kind: 'engine' | 'swarm' = 'engine'): Promise<TestEngine> {
  const program = fileURLToPath(new URL('../../../testing/container-engine.js', import.meta.url))
  // Detached, so that Ctrl-C does not kill the engine. It sees that its stdin closes, and shuts down cleanly.
  const child = spawn(process.execPath, [program, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const said = await Promise.race([
    once(createInterface(child.stdout), 'line').then(
      ([line]) => JSON.parse(line as string) as EngineUnderTest,
    ),
    ended.then((): EngineUnderTest => ({ missing: 'the engine of the tests ended at once; see above' })),
  ])
  return {
    ...said,
    async close() {
      child.stdin.end()
      await ended
    },
  }
}

/** An app of the test, which runs `node app.cjs`. */
export const appSpec = (filesDir: string, extra: Partial<AppSpec> = {}): AppSpec => ({
  instanceId: `ins_${randomText(16)}`,
  projectId: 'prj_a',
  project: 'shop',
  deploymentId: 'dep_a',
  filesDir,
  scratchDirs: [],
  command: ['node', 'app.cjs'],
  env: {},
  limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 0.5 },
  readyWithinMs: 60_000,
  output: () => true,
  ...extra,
})
