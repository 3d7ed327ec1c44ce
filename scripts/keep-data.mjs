// Follows docs/data.md: makes an app for each way to keep data, deploys it twice to a fresh platform with the real svc, and looks whether
// its notes are still there. It needs the npm registry and PostgreSQL's programs, so it is not part of `npm test`:
//   node scripts/keep-data.mjs [sqlite] [postgresql] [drizzle] [prisma]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxBuffer, run, startPlatform, visitAll, write } from './framework-platform.mjs'
import { apps } from './keep-data-apps.mjs'

const names = process.argv.slice(2)
const work = mkdtempSync(join(tmpdir(), 'svc-keep-data-'))
const platform = await startPlatform(work, { SVCD_APPS_POSTGRES: 'on' })
let failed = 0
try {
  for (const name of names.length > 0 ? names : Object.keys(apps))
    try {
      await tryOut(name, apps[name])
      console.log(`${name}: ok`)
    } catch (error) {
      failed++
      console.log(`${name}: FAILED\n${error.stderr || error.stdout || error.stack}`)
    }
} finally {
  await platform.stop()
  rmSync(work, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)

async function tryOut(name, { before, packages, tools = [], release, build = [], script, env, files }) {
  const dir = join(work, name)
  const manifest = {
    name,
    private: true,
    type: 'module',
    scripts: { start: 'node app.mjs', ...(script && { build: script }) },
  }
  const settings = { project: `keep-${name}`, ...(release && { release }) }
  write(dir, { 'package.json': JSON.stringify(manifest), 'svc.json': JSON.stringify(settings), ...files })
  const options = { cwd: dir, env: { ...process.env, ...env }, maxBuffer }
  const install = (save, list) => run('npm', ['install', '--no-audit', '--no-fund', save, ...list], options)
  await install('--save', packages)
  if (tools.length > 0) await install('--save-dev', tools)
  for (const [program, ...args] of build) await run(program, args, options)
  await platform.svc(dir, 'init', settings.project)
  await platform.svc(dir, ...before)
  const how = script ? ['--build'] : ['.', '--node-modules']
  const deploy = async () =>
    /http:\/\/\S+/.exec((await platform.svcWith(env, dir, 'deploy', ...how)).stdout)[0]
  await visitAll(await deploy(), { pages: { '/': '0 notes', '/add': '1 notes' } })
  await visitAll(await deploy(), { pages: { '/': '1 notes', '/add': '2 notes' } })
}
