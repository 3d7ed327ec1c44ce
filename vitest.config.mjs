// Tests run on what was built, so that threads, workers and entry points are the ones that ship.
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
    globalSetup: 'packages/server/dist/testing/global-setup.js',
    // Many tests wait for programs they started: with one worker per core a third of the time was left.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
})
