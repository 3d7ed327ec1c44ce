import { describe, test } from 'vitest'
import { describeBuildSandbox } from '../../build-sandbox/conformance.ts'
import { PlainBuilds } from '../../build-sandbox/plain.ts'
import { SandboxedBuilds } from './builds.ts'
import { outsidePath } from './environment.ts'

const settings = { outbound: 'public', webPorts: [80], hidden: [] } as const

describeBuildSandbox('builds as plain processes', {
  open: async () => new PlainBuilds(() => outsidePath(undefined)),
  isolates: false,
})

const found = await SandboxedBuilds.open('node-probe', settings)
await found?.close()
if (found)
  describeBuildSandbox('builds behind bubblewrap', {
    async open(nodeId) {
      const sandbox = await SandboxedBuilds.open(nodeId, settings)
      if (!sandbox) throw new Error('the sandbox is gone')
      return sandbox
    },
    isolates: true,
  })
else {
  console.warn(
    'The tests of builds behind bubblewrap are skipped: it is not installed, or may not do its work',
  )
  describe.skip('builds behind bubblewrap', () => test('all of it', () => undefined))
}
