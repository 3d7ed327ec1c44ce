// Commands of people whose output nobody reads.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { AppSpec } from '../ports/app-runtime/port.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { onEveryServer } from '../testing/server.ts'
import { Commands } from './commands.ts'
import { DiskTurns } from './disk-turns.ts'

onEveryServer(server => {
  it('in the image of a Dockerfile may write no more than fits in memory, since nothing waits for its reader', async () => {
    const app = await TestApp.create(server())
    const deploymentId = await app.deploy(procfileApp())
    const { platform } = server().running
    const { db } = platform.store
    await db.updateTable('deployments').set({ image: 'made' }).where('id', '=', deploymentId).execute()
    /** Writes for as long as it may, but at most 64 MB. */
    async function run({ output }: AppSpec, signal: AbortSignal): Promise<never> {
      for (let at = 0; at < 1_000 && !signal.aborted; at++) output('stdout', Buffer.alloc(64 * 1024))
      throw signal.reason ?? new Error('nothing ended it')
    }
    const limits = { memoryBytes: 1024 ** 3 }
    const parts = { platform, store: platform.store, limits, runtime: { run } }
    const commands = new Commands(parts as never, new DiskTurns())
    let bytes = 0
    const runIt = await commands.prepare({
      ...{ projectId: (await app.detail()).id, deploymentId, command: ['yes'] },
      output(_stream, chunk) {
        bytes += chunk.length
        return new Promise<void>(() => undefined)
      },
      attended: { terminal: undefined, input: Readable.from([]) },
    })
    const end = await runIt(new AbortController().signal)
    expect(end).toEqual({ exitCode: 137, reason: 'It wrote more than 10 MB.' })
    expect(bytes).toBeLessThanOrEqual(11 * 1024 ** 2)
  })
})
