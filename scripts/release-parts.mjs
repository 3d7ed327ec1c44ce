// What is inside a release: the packages of node_modules that svcd, svc and the dashboard are made of.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'

export const manifestOf = name =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))

/** The packages with everything that they depend on. */
export function closureOf(names) {
  const found = new Set()
  const waiting = [...names]
  while (waiting.length > 0) {
    const name = waiting.pop()
    if (found.has(name) || !existsSync(join(root, 'node_modules', name))) continue
    found.add(name)
    waiting.push(...Object.keys(manifestOf(name).dependencies ?? {}))
  }
  return [...found].toSorted()
}

/** Used to build the dashboard, and not part of it. */
const buildTools = /^(@types\/|@vitejs\/|@svc\/|vite$)/

/** In the format CycloneDX 1.6. */
export function billOfMaterials(version) {
  const of = (folder, kind) =>
    Object.keys(JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))[kind] ?? {})
  const direct = [
    ...of('server', 'dependencies'),
    ...of('server', 'devDependencies'),
    ...of('contract', 'dependencies'),
    ...of('cli', 'devDependencies'),
    ...of('dashboard', 'devDependencies'),
  ]
  const names = closureOf(direct.filter(name => !buildTools.test(name)))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'svcd', version, purl: `pkg:npm/svcd@${version}` } },
    components: names.map(componentOf),
  }
}

function componentOf(name) {
  const { version, license } = manifestOf(name)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const licenses = typeof license === 'string' ? [{ license: { name: license } }] : []
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses }
}
