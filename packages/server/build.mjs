// Bundles what was compiled into bundle/: svcd with its packages, which then starts with half the processor time and takes less memory
// than from 1,100 files, and the script that builds run in their sandbox, which does not contain svcd's packages.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = path => fileURLToPath(new URL(path, import.meta.url))

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Some packages are CommonJS, and this gives them `require` for modules of Node.
  banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  logLevel: 'warning',
}

/** Where processes and threads start. `programFile` finds them in bundle/ at these paths. */
const entries = [
  'main',
  'edge-workers/worker',
  'store/sqlite/connection-thread',
  'threads/compress-process',
  'threads/missing-files-thread',
  'threads/render-invoice-thread',
  'threads/unpack-thread',
  'threads/watchdog-thread',
]

await rm(here('bundle'), { recursive: true, force: true })
await Promise.all([
  build({
    ...common,
    entryPoints: entries.map(entry => here(`dist/${entry}.js`)),
    outbase: here('dist'),
    outdir: here('bundle'),
    splitting: true,
    // Every thread keeps the text of its modules in memory. Names stay, so that stack traces can be read.
    minifyWhitespace: true,
    // The first has native code, and the second reads its own files. The third is optional, and only tried.
    external: ['@photostructure/sqlite', 'pdfkit', 'pg-native'],
    // Zod's messages in other languages.
    plugins: [leaveOut(/\/locales\/index\.js$/)],
  }),
  build({
    ...common,
    entryPoints: [here('dist/builder/needed/main.js')],
    outfile: here('bundle/needed.mjs'),
    minify: true,
    // This module downloads and compiles packages. The tracer only uses other modules of its package.
    plugins: [leaveOut(/^@mapbox\/node-pre-gyp$/)],
  }),
])

/** Puts an empty module in the place of those whose import matches. */
function leaveOut(filter) {
  const setup = bundle => {
    bundle.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }))
    bundle.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }))
  }
  return { name: 'leave-out', setup }
}
