// Bundles the script that builds run in their sandbox into one file, because the sandbox does not contain svcd's packages.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = path => fileURLToPath(new URL(path, import.meta.url))

await build({
  entryPoints: [here('src/builder/needed/main.ts')],
  outfile: here('dist/builder/bundle/needed.mjs'),
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The bundled packages are CommonJS, and this gives them `require` for modules of Node.
  banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  plugins: [{ name: 'leave-out', setup: leaveOut }],
  logLevel: 'warning',
})

/** The main module of node-pre-gyp downloads and compiles packages. The tracer only uses other modules of it. */
function leaveOut(bundle) {
  bundle.onResolve({ filter: /^@mapbox\/node-pre-gyp$/ }, ({ path }) => ({ path, namespace: 'left-out' }))
  bundle.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}' }))
}
