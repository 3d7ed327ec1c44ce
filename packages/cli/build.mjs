// Bundles the tool into bundle/: one small entry, and one chunk per command that is loaded when it is run. Then packs it
// into dist/package/svc.tgz, the npm package that every platform hands out, so that its users have the version that fits.
import { execFileSync } from 'node:child_process'
import { mkdir, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = path => fileURLToPath(new URL(path, import.meta.url))

await rm(here('bundle'), { recursive: true, force: true })
await build({
  entryPoints: [here('src/main.ts')],
  outdir: here('bundle'),
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Some packages are CommonJS, and this gives them `require` for modules of Node.
  banner: {
    js: "import{createRequire as svcRequire}from'node:module';const require=svcRequire(import.meta.url);",
  },
  keepNames: true,
  logLevel: 'warning',
})

// Its scripts would call this program again.
const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json'], {
  cwd: here('.'),
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
  shell: process.platform === 'win32',
})
await mkdir(here('dist/package'), { recursive: true })
await rename(here(JSON.parse(packed)[0].filename), here('dist/package/svc.tgz'))
