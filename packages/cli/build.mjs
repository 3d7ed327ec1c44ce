// Bundles the tool into bundle/: one small entry, and one chunk per command that is loaded when it is run.
import { rm } from 'node:fs/promises'
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
  keepNames: true,
  logLevel: 'warning',
})
