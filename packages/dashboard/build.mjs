// Type-checks and bundles the dashboard into dist/, then writes .br and .gz beside every file that gains from it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = dirname(fileURLToPath(import.meta.url))
const dist = join(root, 'dist')
const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt'])

function typecheck() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', root], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function compress(file) {
  const bytes = readFileSync(file)
  const variants = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gz: gzipSync(bytes, { level: 9 }),
  }
  for (const [suffix, body] of Object.entries(variants))
    if (body.length < bytes.length) writeFileSync(`${file}.${suffix}`, body)
  const sizes = [bytes, variants.gz, variants.br].map(body => `${(body.length / 1024).toFixed(1)} KB`)
  console.log(`${relative(root, file)}  ${sizes[0]}  gzip ${sizes[1]}  brotli ${sizes[2]}`)
}

typecheck()
await build({ root, logLevel: 'warn' })
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name)
  if (statSync(file).isFile() && compressible.has(extname(file))) compress(file)
}
