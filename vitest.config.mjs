// Tests run on what was compiled; those that start svcd or svc run its bundle, which is what ships.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowFilesFirst } from './scripts/test-order.mjs'

const all = [
  'packages/{contract,server,cli}/dist/**/*.test.js',
  'packages/dashboard/src/**/*.test.ts',
  'e2e/dist/**/*.test.js',
  'scripts/*.test.mjs',
]

/** One process runs many of these files, so that it loads the program once. They leave nothing behind that the next one meets. */
const sharing = [
  'packages/contract/dist/**/*.test.js',
  'packages/dashboard/src/**/*.test.ts',
  'packages/cli/dist/**/*.test.js',
  'packages/server/dist/{api,core,edge,lib,store}/**/*.test.js',
  'e2e/dist/dashboard/*.test.js',
]

/** These measure or change their process, or load other test files. */
const apart = [
  'packages/cli/dist/help.test.js',
  'packages/server/dist/core/apps/directory.test.js',
  'packages/server/dist/edge/cache/cached-answers.test.js',
  'packages/server/dist/edge/lanes/http1/lane.test.js',
  'packages/server/dist/edge/{unread,without-lanes}.test.js',
]

const options = {
  // Node itself loads what was compiled, which takes a third less processor time than through Vite.
  server: { deps: { external: [/\/dist\/(?!.*\.test\.js$)/] } },
  setupFiles: 'scripts/processor-time.mjs',
  // A busy machine is slow, and no sign of a fault. So no limit is near what a test takes.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
}

export default defineConfig({
  test: {
    globalSetup: 'packages/server/dist/testing/global-setup.js',
    // Many tests wait for programs they started, so there are more workers than cores.
    maxWorkers: Math.max(6, availableParallelism()),
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      { test: { ...options, name: 'alone', include: all, exclude: sharing } },
      { test: { ...options, name: 'apart', include: apart } },
      { test: { ...options, name: 'sharing', include: sharing, exclude: apart, isolate: false } },
    ],
  },
})
