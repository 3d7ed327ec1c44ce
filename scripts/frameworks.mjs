// Builds one small app with each framework that the platform knows, from npm, deploys all of them to a fresh platform with
// the real svc, and visits them. It takes minutes and the network, so it is not part of `npm test`:
//   node scripts/frameworks.mjs [--record] [name ...]     builds here, deploys with `svc deploy`
//   node scripts/frameworks.mjs --git [name ...]          pushes the sources with `git push`, and the platform builds
//   node scripts/frameworks.mjs --creators [name[@version] ...]  has the frameworks' own creators make projects, and deploys both ways
// With --record it writes down which files each build consists of, for the tests that are part of `npm test`.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { frameworks } from './framework-apps.mjs'
import { creators, tryCreator } from './framework-creators.mjs'
import { maxBuffer, root, run, startPlatform, visitAll, write } from './framework-platform.mjs'
import { repositories, tryRepository } from './framework-repositories.mjs'

/** Builds that ask nobody and report to nobody. */
const quiet = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' }

const installers = {
  npm: (save, packages) => ['npm', ['install', '--no-audit', '--no-fund', save, ...packages]],
  // Whose packages are links into a store, so that an app runs only if its links came along.
  pnpm: (save, packages) => ['npx', ['--yes', 'pnpm@10', 'add', save, ...packages]],
}

const names = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
const isRecording = process.argv.includes('--record')
const ways = { '--git': [repositories, tryRepository], '--creators': [creators, tryCreator] }
const way = Object.keys(ways).find(flag => process.argv.includes(flag))
const [table, tryOne] = ways[way] ?? [frameworks, tryOut]
const chosen = names.length > 0 ? names : Object.keys(table)
const work = mkdtempSync(join(tmpdir(), 'svc-frameworks-'))
const platform = await startPlatform(work, {
  ...settingOf('SVCD_APP_OUTBOUND'),
  ...settingOf('SVCD_NODE_DIR'),
})
let failed = 0
try {
  for (const name of chosen)
    try {
      console.log(`${name}: ${await tryOne(platform, work, name)}`)
    } catch (error) {
      failed++
      console.log(`${name}: FAILED\n${error.stderr || error.stdout || error.stack}`)
    } finally {
      for (const folder of [name, `${name}-clone`])
        rmSync(join(work, folder), { recursive: true, force: true })
    }
} finally {
  await platform.stop()
  rmSync(work, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)

/** A setting of this shell for the platform. */
function settingOf(name) {
  const value = process.env[name]
  return value ? { [name]: value } : {}
}

async function tryOut(platform, work, name) {
  const framework = frameworks[name]
  const { is, manager = 'npm', packages = [], save = '--save', files, build = [], output } = framework
  const dir = join(work, name)
  const manifest = {
    name,
    private: true,
    type: 'module',
    ...(framework.scripts && { scripts: framework.scripts }),
  }
  write(dir, { 'package.json': `${JSON.stringify(manifest)}\n`, ...files })
  const options = { cwd: dir, env: { ...process.env, ...quiet }, maxBuffer }
  if (packages.length > 0) await run(...installers[manager](save, packages), options)
  for (const [program, ...args] of build) await run(program, args, options)
  if (isRecording) record(name, join(dir, output))
  await platform.svc(dir, 'init', `try-${name}`)
  const deployed = await platform.svc(dir, 'deploy', output, '--node-modules')
  const taken = /^server: (.*)$/m.exec(deployed.stdout)?.[1] ?? 'static'
  if (taken !== is) throw new Error(`taken for ${taken}:\n${deployed.stdout}`)
  if (deployed.stderr !== '') throw new Error(`warned:\n${deployed.stderr}`)
  const url = /http:\/\/\S+/.exec(deployed.stdout)[0]
  await visitAll(url, framework)
  return `ok, ${deployed.stdout.split('\n')[0]}`
}

/** Of the packages inside a build their names are enough. */
function record(name, dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(dir, join(entry.parentPath, entry.name)))
    .filter(
      file => !file.includes('node_modules/') || /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    )
  write(join(root, 'packages/server/fixtures/builds'), { [`${name}.txt`]: `${files.sort().join('\n')}\n` })
}
