// Checks that every exported name is imported by another file; part of `npm run lint`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageEntries, unusedExports } from './export-rules.mjs'
import { sources } from './sources.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Everything outside of a src folder of the packages that may import from there. */
const others = ['e2e', 'scripts', 'bench', 'packages/cli', 'packages/dashboard', 'packages/server']
  .flatMap(folder => readdirSync(join(root, folder), { recursive: true }).map(path => join(folder, path)))
  .filter(path => /\.(?:ts|mjs|js)$/.test(path) && !/(?:^|\/)(?:src|dist|bundle|node_modules)\//.test(path))
  .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const manifests = readdirSync(join(root, 'packages')).map(name => ({
  folder: `packages/${name}`,
  ...JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
}))

/** Vitest calls it by its name. */
const calledByName = new Set(['packages/server/src/testing/global-setup.ts setup'])

const found = unusedExports([...sources(), ...others], packageEntries(manifests)).filter(
  ({ path, name }) => /^packages\/[^/]+\/src\//.test(path) && !calledByName.has(`${path} ${name}`),
)
for (const { path, line, name, isUsedInside } of found)
  console.error(
    isUsedInside
      ? `${path}:${line} exports ${name}, which only this file uses. Remove the word 'export'.`
      : `${path}:${line} exports ${name}, which nothing uses. Remove it.`,
  )
if (found.length > 0) process.exitCode = 1
