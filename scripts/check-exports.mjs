// Checks that another file imports every exported name, and that the program needs every name that tests import; part of
// `npm run lint`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageEntries, unusedExports } from './export-rules.mjs'
import { isTest } from './import-rules.mjs'
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

const files = [...sources(), ...others]
const find = among =>
  unusedExports(among, packageEntries(manifests)).filter(
    ({ path, name }) => /^packages\/[^/]+\/src\//.test(path) && !calledByName.has(`${path} ${name}`),
  )
const report = ({ path, line, name }, text) => {
  console.error(`${path}:${line} exports ${name}, which ${text}`)
  process.exitCode = 1
}

const unused = find(files)
for (const it of unused)
  report(it, it.isUsedInside ? "only this file uses. Remove the word 'export'." : 'nothing uses. Remove it.')

const known = new Set(unused.map(({ path, name }) => `${path} ${name}`))
for (const it of find(files.filter(({ path }) => !isTest(path))))
  if (!it.isUsedInside && !known.has(`${it.path} ${it.name}`))
    report(it, 'only tests use. Remove it, or move it to a folder testing/.')
