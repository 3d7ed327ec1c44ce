// Tests run on what was compiled; those that start svcd or svc run its bundle, which is what ships.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/{contract,server,cli}/dist/**/*.test.js',
      'packages/dashboard/src/**/*.test.ts',
      'e2e/dist/**/*.test.js',
      'scripts/*.test.mjs',
    ],
    // Node itself loads what was compiled, which takes a third less processor time than through Vite.
    server: { deps: { external: [/\/dist\/(?!.*\.test\.js$)/] } },
    globalSetup: 'packages/server/dist/testing/global-setup.js',
    // Many tests wait for programs they started, so no core is kept free.
    maxWorkers: Math.max(2, availableParallelism()),
    // A busy machine is slow, and no sign of a fault. So no limit is near what a test takes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
